//! Tells the outcome: TigeraStatus `tiers`.

use chimera_core::message::Message;
use tracing::warn;

use super::super::driver::Outcome;
use super::super::health::{Applied, of};
use super::super::publish;
use super::super::subject::{API_VERSION, Subject};
use crate::context::Context;
use crate::watch::versions::Scope;

/// Name of the TigeraStatus.
const NAME: &str = "tiers";

/// After apply.
pub(super) async fn run(context: &Context, subject: &Subject, applied: Vec<Applied>) -> Outcome {
    let health = of(context, &applied, subject.generation).await;
    publish::restored(context, subject, &applied).await;
    publish::run(context, NAME, &health, subject).await
}

/// There is nothing to tell.
pub(super) async fn remove(context: &Context) -> Outcome {
    publish::removed(context, NAME).await
}

/// The API does not answer. A watch tells when it does, so nobody need look.
pub(super) async fn waiting(context: &Context, subject: &Subject, message: Message) -> Outcome {
    // Of what is waited for, no generation of the Installation says anything: it would only be a write for each.
    let subject = Subject { generation: None, ..subject.clone() };
    match invalid(context, &subject, vec![message]).await {
        Outcome::Again(_) => Outcome::Settled,
        outcome => outcome,
    }
}

/// Something cannot be read. Where nobody is known to ask for tiers, there is nothing to tell of them.
pub(super) async fn failed(context: &Context, message: Message) -> Outcome {
    if context.versions.keys(&Scope::all(API_VERSION, "APIServer")).is_empty() {
        warn!("{message}");
        return Outcome::Failed;
    }
    invalid(context, &Subject::installation(), vec![message]).await
}

/// Nothing was applied, because of what is wrong with the input.
pub(super) async fn invalid(context: &Context, subject: &Subject, messages: Vec<Message>) -> Outcome {
    publish::invalid(context, NAME, subject, messages).await
}
