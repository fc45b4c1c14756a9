//! What pods trust already, as far as it is to stay.

use super::inputs::InstallationInputs;
use crate::certificates::Trusted;
use crate::images::Build;

/// The system's roots in the cluster's bundle stay as long as the version of Calico does: other ones would restart every
/// pod, which a new version does anyway.
pub(super) fn trusted(inputs: &InstallationInputs) -> Trusted {
    let last = inputs.installation.status.as_ref().and_then(|status| status.calico_version.as_deref());
    let same = last.is_none_or(|last| last == Build::current().version);
    Trusted { roots: inputs.trusted.roots.clone().filter(|_| same), ..inputs.trusted.clone() }
}
