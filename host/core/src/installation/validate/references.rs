//! Objects that the spec names.

use chimera_crds::installation::InstallationSpec;

use super::{LABEL, Problems};
use crate::codes;
use crate::confidential::Confidential;
use crate::installation::inputs::InstallationInputs;
use crate::message::Message;

/// The pull secrets, each of which must exist.
pub(super) fn pull_secrets(
    spec: &InstallationSpec,
    inputs: &InstallationInputs,
    namespace: &str,
    problems: &mut Problems,
) -> Vec<Confidential> {
    let mut found = Vec::new();
    for (index, reference) in spec.image_pull_secrets.iter().flatten().enumerate() {
        match inputs.secrets.get(&reference.name) {
            Some(secret) => found.push(secret.clone()),
            None => {
                let detail = format!("there is no Secret {namespace}/{}", reference.name);
                let message = Message::new(&codes::MISSING_REFERENCE, detail).on(LABEL);
                problems.0.push(message.field(format!("spec.imagePullSecrets[{index}].name")));
            }
        }
    }
    found
}
