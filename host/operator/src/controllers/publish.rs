//! Publishes a component's health and works out when to look again.

use std::time::Duration;

use chimera_core::codes;
use chimera_core::message::Message;
use tracing::warn;

use super::driver::Outcome;
use super::health::Applied;
use super::subject::Subject;
use crate::client::reason;
use crate::context::Context;
use crate::status::health::Health;
use crate::status::writer::Published;

/// While something is being waited for, its pods are looked at this often: why one fails is not watched.
const WHILE_PROGRESSING: Duration = Duration::from_secs(10);

/// Makes the TigeraStatus say it.
pub async fn run(context: &Context, name: &'static str, health: &Health, subject: &Subject) -> Outcome {
    match context.status.publish(name, health, &subject.key, subject.uid.clone()).await {
        Ok(Published::Later(pause)) if !health.degraded.is_empty() => Outcome::Held(pause),
        Ok(Published::Later(pause)) => Outcome::Again(pause),
        Ok(Published::Done) if !health.degraded.is_empty() => Outcome::Failed,
        Ok(Published::Done) if health.available() => Outcome::Settled,
        Ok(Published::Done) => Outcome::Again(WHILE_PROGRESSING),
        Err(error) => {
            warn!(error = reason(&error, "update"), component = name, "failed to write the TigeraStatus; trying again");
            Outcome::Failed
        }
    }
}

/// Makes the TigeraStatus say why nothing was applied: what is wrong with the input, or what is waited for.
pub async fn invalid(
    context: &Context,
    name: &'static str,
    subject: &Subject,
    messages: impl IntoIterator<Item = Message>,
) -> Outcome {
    let mut health = Health { generation: subject.generation, ..Health::default() };
    health.extend(messages);
    run(context, name, &health, subject).await
}

/// Deletes the TigeraStatus: there is nothing to tell.
pub async fn removed(context: &Context, name: &'static str) -> Outcome {
    match context.status.remove(name).await {
        Ok(()) => Outcome::Settled,
        Err(error) => {
            let error = reason(&error, "delete");
            warn!(error, component = name, "failed to delete the TigeraStatus; trying again");
            Outcome::Failed
        }
    }
}

/// One Event for each object that somebody had changed and that was put back.
pub async fn restored(context: &Context, subject: &Subject, applied: &[Applied]) {
    for restored in applied.iter().flat_map(|component| &component.restored) {
        let who = restored.manager.as_deref().unwrap_or("somebody");
        let detail = format!("{who} changed it, and it is put back");
        let note = Message::new(&codes::FIELD_RESTORED, detail).on(&restored.key).field(restored.fields.join(", "));
        let reason = codes::FIELD_RESTORED.reason;
        context.events.publish(&subject.key, subject.uid.clone(), false, reason, &note.to_string()).await;
    }
}
