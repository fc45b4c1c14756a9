//! The API server's address that pods use.

use super::report::Report;
use crate::installation::inputs::InstallationInputs;
use crate::migrate::names;

/// The operator reads it from its own namespace.
pub(super) fn convert(inputs: &InstallationInputs, report: &mut Report) {
    let Some(data) = inputs.manifest.endpoint.as_ref().filter(|data| !data.is_empty()) else { return };
    report.of(names::services_endpoint());
    let own = inputs.config_maps.services_endpoint.as_ref();
    for (name, value) in data {
        let field = format!("data[{name}]");
        match own.and_then(|own| own.get(name)) {
            Some(there) if there == value => report.same(&field, value),
            _ => report.blocked(
                &field,
                value,
                "the operator reads it from its own namespace; make the same ConfigMap in tigera-operator",
            ),
        }
    }
}
