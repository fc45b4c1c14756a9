//! Events, one a transition.

use chimera_core::object::ObjectKey;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1 as events;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
use kube::api::PostParams;
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::{Api, Client};
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
        let result = match about.name.contains(':') {
            true => self.create(event, reference(about, uid)).await,
            // A recorder that lives on makes one series of Events that differ only in their text, and keeps the first text.
            false => {
                let recorder = Recorder::new(self.client.clone(), self.reporter.clone());
                recorder.publish(&event, &reference(about, uid)).await
            }
        };
        if let Err(error) = result {
            debug!(%error, reason, "failed to publish an Event");
        }
    }

    /// A recorder names an Event after its object, which an Event cannot be where that name has a colon.
    async fn create(&self, event: Event, regarding: ObjectReference) -> Result<(), kube::Error> {
        let namespace = regarding.namespace.clone().unwrap_or_else(|| "default".into());
        let api: Api<events::Event> = Api::namespaced(self.client.clone(), &namespace);
        let type_ = match event.type_ {
            EventType::Normal => "Normal",
            EventType::Warning => "Warning",
        };
        let object = events::Event {
            metadata: ObjectMeta {
                generate_name: Some(format!("{}-", regarding.name.as_deref().unwrap_or_default().replace(':', "."))),
                ..ObjectMeta::default()
            },
            action: Some(event.action),
            event_time: Some(MicroTime(Timestamp::now())),
            note: event.note,
            reason: Some(event.reason),
            regarding: Some(regarding),
            reporting_controller: Some(self.reporter.controller.clone()),
            reporting_instance: self.reporter.instance.clone(),
            type_: Some(type_.into()),
            ..events::Event::default()
        };
        api.create(&PostParams::default(), &object).await.map(drop)
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
