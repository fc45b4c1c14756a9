//! Events, one a transition.

use chimera_core::object::ObjectKey;
use k8s_openapi::api::core::v1::ObjectReference;
use kube::Client;
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use tracing::debug;

/// Text of an Event is cut here; the API allows 1,024 bytes.
const LONGEST: usize = 1000;

/// Publishes Events in the name of the operator.
#[derive(Clone)]
pub struct Events {
    client: Client,
    reporter: Reporter,
}

impl Events {
    /// In the name of this process.
    pub fn new(client: Client, instance: String) -> Self {
        Self { client, reporter: Reporter { controller: "chimera".into(), instance: Some(instance) } }
    }

    /// Publishes one Event. One that cannot be published is only logged: nothing depends on it.
    pub async fn publish(&self, about: &ObjectKey, uid: Option<String>, warning: bool, reason: &str, note: &str) {
        let event = Event {
            type_: if warning { EventType::Warning } else { EventType::Normal },
            reason: reason.into(),
            note: Some(cut(note).into()),
            action: "Reconcile".into(),
            secondary: None,
        };
        // A recorder that lives on makes one series of Events that differ only in their text, and keeps the first text.
        let recorder = Recorder::new(self.client.clone(), self.reporter.clone());
        if let Err(error) = recorder.publish(&event, &reference(about, uid)).await {
            debug!(%error, reason, "failed to publish an Event");
        }
    }
}

fn reference(key: &ObjectKey, uid: Option<String>) -> ObjectReference {
    ObjectReference {
        api_version: Some(key.api_version.clone()),
        kind: Some(key.kind.clone()),
        namespace: key.namespace.clone(),
        name: Some(key.name.clone()),
        uid,
        ..ObjectReference::default()
    }
}

/// Cuts at a character, never within one.
fn cut(text: &str) -> &str {
    if text.len() <= LONGEST {
        return text;
    }
    let end = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_note_is_cut_between_characters() {
        let note = "a".repeat(LONGEST - 1) + "ü";
        assert_eq!(cut(&note).len(), LONGEST - 1);
        assert_eq!(cut("short"), "short");
    }
}
