//! Tells the outcome: TigeraStatus `ippools`.

use chimera_core::message::Message;

use super::super::driver::Outcome;
use super::super::health::{Applied, of};
use super::super::publish;
use super::super::subject::Subject;
use crate::context::Context;
use crate::status::health::Health;

/// Name of the TigeraStatus.
const NAME: &str = "ippools";

/// After apply.
pub(super) async fn run(context: &Context, subject: &Subject, applied: Vec<Applied>) -> Outcome {
    let health = of(context, &applied, subject.generation).await;
    publish::run(context, NAME, &health, subject).await
}

/// Something that pools depend on cannot be read.
pub(super) async fn unreadable(context: &Context, message: Message) -> Outcome {
    invalid(context, &Subject::installation(), vec![message]).await
}

/// Nothing was applied, because of what is wrong with the input.
pub(super) async fn invalid(context: &Context, subject: &Subject, messages: Vec<Message>) -> Outcome {
    let mut health = Health { generation: subject.generation, ..Health::default() };
    health.extend(messages);
    publish::run(context, NAME, &health, subject).await
}
