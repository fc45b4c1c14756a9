//! Tells the outcome: TigeraStatus `calico`, and the Installation's own status.

use std::time::Duration;

use chimera_core::installation::config::InstallationConfig;
use chimera_core::message::Message;

use super::super::driver::Outcome;
use super::super::health::{Applied, of};
use super::super::installation_status;
use super::super::ip_pools::validate::is_own;
use super::super::resource_status;
use super::super::subject::Subject;
use crate::context::Context;
use crate::controllers::publish;
use crate::status::health::Health;

/// Name of the TigeraStatus.
pub(super) const NAME: &str = "calico";

/// After apply.
pub(super) async fn run(
    context: &Context,
    subject: &Subject,
    config: &InstallationConfig,
    applied: Vec<Applied>,
    strays: Vec<Message>,
) -> Outcome {
    let mut health = of(context, &applied, subject.generation).await;
    // What is odd about pools is told by the component that looks after them.
    health.extend(config.warnings.iter().filter(|warning| !is_own(warning)).cloned().chain(strays));
    publish::restored(context, subject, &applied).await;
    config.certificates.expiries().for_each(|(secret, expires)| context.metrics.certificate(secret, expires));
    let Err(error) = installation_status::publish(context, subject, Some(config), &health).await else {
        let outcome = publish::run(context, NAME, &health, subject).await;
        return outcome.at_latest(until_certificates_change(context, config));
    };
    publish::run(context, NAME, &resource_status::with_unwritten(&health, &error, subject), subject).await;
    Outcome::Failed
}

/// Nothing in the cluster changes when a certificate comes of age, so no watch tells.
fn until_certificates_change(context: &Context, config: &InstallationConfig) -> Duration {
    let now = context.clock.now();
    let until = config.certificates.next_change(now).and_then(|then| Duration::try_from(then.duration_since(now)).ok());
    until.unwrap_or(Duration::MAX)
}

/// What the removal waits for, or what is in its way.
pub(super) async fn leaving(context: &Context, subject: &Subject, message: Message) {
    let mut health = Health { generation: subject.generation, ..Health::default() };
    health.add(message);
    publish::run(context, NAME, &health, subject).await;
}

/// The resource itself, or something that it depends on, cannot be read.
pub(super) async fn unreadable(context: &Context, message: Message) -> Outcome {
    invalid(context, &Subject::installation(), vec![message]).await
}

/// Nothing was applied, because of what is wrong with the input.
pub(super) async fn invalid(context: &Context, subject: &Subject, messages: Vec<Message>) -> Outcome {
    let mut health = Health { generation: subject.generation, ..Health::default() };
    health.extend(messages);
    let Err(error) = installation_status::publish(context, subject, None, &health).await else {
        return publish::run(context, NAME, &health, subject).await;
    };
    publish::run(context, NAME, &resource_status::with_unwritten(&health, &error, subject), subject).await;
    Outcome::Failed
}
