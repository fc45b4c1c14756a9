//! Tells the outcome: TigeraStatus `management-cluster-connection`, and the resource's own status.

use chimera_core::cluster_connection::ClusterConnectionConfig;
use chimera_core::message::Message;

use super::super::driver::Outcome;
use super::super::health::{Applied, of};
use super::super::subject::Subject;
use super::super::{publish, resource_status};
use super::KIND;
use crate::context::Context;
use crate::status::health::Health;

/// Name of the TigeraStatus.
const NAME: &str = "management-cluster-connection";

/// After apply.
pub(super) async fn run(
    context: &Context,
    subject: &Subject,
    config: &ClusterConnectionConfig,
    applied: Vec<Applied>,
    strays: Vec<Message>,
) -> Outcome {
    let mut health = of(context, &applied, subject.generation).await;
    health.extend(config.warnings.iter().cloned().chain(strays));
    publish::restored(context, subject, &applied).await;
    resource_status::run(context, NAME, &health, subject, KIND.plural).await
}

/// There is nothing to tell.
pub(super) async fn remove(context: &Context) -> Outcome {
    publish::removed(context, NAME).await
}

/// Nothing was applied, because of what is wrong with the input, or of what is waited for.
pub(super) async fn invalid(context: &Context, subject: &Subject, messages: Vec<Message>) -> Outcome {
    let mut health = Health { generation: subject.generation, ..Health::default() };
    health.extend(messages);
    resource_status::run(context, NAME, &health, subject, KIND.plural).await
}
