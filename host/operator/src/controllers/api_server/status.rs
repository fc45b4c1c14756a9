//! Tells the outcome: TigeraStatus `apiserver`.

use chimera_core::message::Message;

use super::super::driver::Outcome;
use super::super::health::{Applied, of};
use super::super::publish;
use super::super::subject::Subject;
use crate::context::Context;

/// Name of the TigeraStatus.
const NAME: &str = "apiserver";

/// After apply. `told`: what is known besides.
pub(super) async fn run(context: &Context, subject: &Subject, applied: Vec<Applied>, told: Vec<Message>) -> Outcome {
    let mut health = of(context, &applied, subject.generation).await;
    health.extend(told);
    publish::restored(context, subject, &applied).await;
    publish::run(context, NAME, &health, subject).await
}

/// There is nothing to tell.
pub(super) async fn remove(context: &Context) -> Outcome {
    publish::removed(context, NAME).await
}

/// Nothing was applied, because of what is wrong with the input or what is waited for.
pub(super) async fn invalid(context: &Context, subject: &Subject, messages: Vec<Message>) -> Outcome {
    publish::invalid(context, NAME, subject, messages).await
}
