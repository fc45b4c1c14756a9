//! Takes over a manifest install of Calico: what lies in `kube-system` becomes values of an Installation, and nodes move
//! to the operator's own DaemonSet one at a time.
//!
//! Everything here is pure. [`convert`] reads the running install; [`step`] says what to do next from what is seen of the
//! cluster, with no memory of its own, so that an operator that starts again goes on where the last one stopped.

mod confine;
mod convert;
mod differences;
mod leftovers;
mod manifest;
pub mod names;
mod rights;
mod setting;
mod step;
#[cfg(test)]
mod tests;

pub use confine::{confine, is_confined};
pub(crate) use convert::under;
pub use convert::{Conversion, convert, missing_felix};
pub use differences::differences;
pub use leftovers::{leftovers, replaced};
pub use manifest::Manifest;
pub use rights::{copied_names, rights};
pub use setting::{Setting, Verdict};
pub use step::{Action, Mark, NodeState, Observation, OldControllers, OldNodes, PATIENCE, Plan, Withheld, back, step};

use crate::codes::{self, Severity};
use crate::installation::inputs::InstallationInputs;
use crate::message::Message;
use crate::object::Object;

/// Everything to say about the take-over of a manifest install, before anything is done; nothing without one.
pub fn check(inputs: &InstallationInputs) -> Vec<Message> {
    if !inputs.manifest.is_install() {
        return Vec::new();
    }
    let conversion = convert(inputs);
    let blocked = conversion.settings.iter().filter(|setting| setting.verdict == Verdict::Blocked);
    let blocked = blocked.map(|setting| {
        let detail = format!("{} cannot be carried over: {}", setting.value, setting.note);
        Message::new(&codes::MANIFEST_NOT_CARRIED, detail).on(&setting.object).field(&setting.field)
    });
    blocked.chain(differences(&inputs.installation.spec, &conversion.spec)).collect()
}

/// The FelixConfiguration with what the manifest install has in variables; none if there is nothing of the kind.
pub(crate) fn with_felix(inputs: &InstallationInputs) -> Option<Object> {
    if !inputs.manifest.is_install() {
        return None;
    }
    convert::with_felix(&convert(inputs).felix, inputs.felix.as_ref(), inputs.api_group)
}

/// Whether messages hold back the take-over.
pub fn blocks(messages: &[Message]) -> bool {
    messages.iter().any(|message| message.code().severity == Severity::Error)
}
