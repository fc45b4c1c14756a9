//! Tells the outcome: TigeraStatus `apiserver`, and the resource's own status.

use chimera_core::message::Message;

use super::super::driver::Outcome;
use super::super::health::{Applied, of};
use super::super::subject::Subject;
use super::super::{publish, resource_status};
use crate::context::Context;
use crate::status::health::Health;

/// Name of the TigeraStatus.
const NAME: &str = "apiserver";
/// Of its resource.
const PLURAL: &str = "apiservers";

/// After apply. `told`: what is known besides.
pub(super) async fn run(context: &Context, subject: &Subject, applied: Vec<Applied>, told: Vec<Message>) -> Outcome {
    let mut health = of(context, &applied, subject.generation).await;
    health.extend(told);
    publish::restored(context, subject, &applied).await;
    resource_status::run(context, NAME, &health, subject, PLURAL).await
}

/// There is nothing to tell.
pub(super) async fn remove(context: &Context) -> Outcome {
    publish::removed(context, NAME).await
}

/// Nothing was applied, because of what is wrong with the input or what is waited for.
pub(super) async fn invalid(context: &Context, subject: &Subject, messages: Vec<Message>) -> Outcome {
    let mut health = Health { generation: subject.generation, ..Health::default() };
    health.extend(messages);
    resource_status::run(context, NAME, &health, subject, PLURAL).await
}
