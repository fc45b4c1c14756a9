//! Tells the outcome: TigeraStatus `ippools`.

use std::time::Duration;

use chimera_core::codes;
use chimera_core::message::Message;

use super::super::driver::Outcome;
use super::super::health::{Applied, of};
use super::super::publish;
use super::super::subject::Subject;
use crate::context::Context;

/// Name of the TigeraStatus.
const NAME: &str = "ippools";
/// What ends without any change that is watched: use of addresses.
const WAITING: [&str; 1] = [codes::IP_POOL_IN_USE.id];
/// So often their use is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// After apply.
pub(super) async fn run(
    context: &Context,
    subject: &Subject,
    applied: Vec<Applied>,
    messages: Vec<Message>,
) -> Outcome {
    let waits = messages.iter().any(|message| WAITING.contains(&message.code().id));
    let mut health = of(context, &applied, subject.generation).await;
    publish::restored(context, subject, &applied).await;
    health.extend(messages);
    match publish::run(context, NAME, &health, subject).await {
        Outcome::Settled if waits => Outcome::Again(LOOK_EVERY),
        outcome => outcome,
    }
}

/// There is no Installation, so there is nothing to tell.
pub(super) async fn remove(context: &Context) -> Outcome {
    publish::removed(context, NAME).await
}

/// Something that pools depend on cannot be read.
pub(super) async fn unreadable(context: &Context, message: Message) -> Outcome {
    invalid(context, &Subject::installation(), vec![message]).await
}

/// Nothing was applied, because of what is wrong with the input.
pub(super) async fn invalid(context: &Context, subject: &Subject, messages: Vec<Message>) -> Outcome {
    publish::invalid(context, NAME, subject, messages).await
}
