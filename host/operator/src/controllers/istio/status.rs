//! Tells the outcome: TigeraStatus `istio`, and the resource's own status.

use chimera_core::message::Message;

use super::super::driver::Outcome;
use super::super::health::Applied;
use super::super::subject::Subject;
use super::super::{publish, resource_status};
use crate::context::Context;

/// Name of the TigeraStatus.
const NAME: &str = "istio";
/// Of its resource.
const PLURAL: &str = "istios";

/// After apply.
pub(super) async fn run(
    context: &Context,
    subject: &Subject,
    applied: Vec<Applied>,
    warnings: Vec<Message>,
) -> Outcome {
    resource_status::applied(context, (NAME, PLURAL), subject, applied, warnings).await
}

/// There is nothing to tell.
pub(super) async fn remove(context: &Context) -> Outcome {
    publish::removed(context, NAME).await
}

/// Nothing was applied: because of what is wrong with the input, or of what is waited for.
pub(super) async fn invalid(context: &Context, subject: &Subject, messages: Vec<Message>) -> Outcome {
    resource_status::invalid(context, (NAME, PLURAL), subject, messages).await
}
