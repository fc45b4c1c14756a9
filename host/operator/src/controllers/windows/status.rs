//! Tells the outcome: TigeraStatus `calico-windows`, which is there only where Calico is to run on Windows nodes.

use chimera_core::message::Message;
use tracing::warn;

use super::super::driver::Outcome;
use super::super::health::{Applied, of};
use super::super::publish;
use super::super::subject::Subject;
use crate::context::Context;

/// Name of the TigeraStatus.
const NAME: &str = "calico-windows";

/// After apply.
pub(super) async fn run(context: &Context, subject: &Subject, applied: Vec<Applied>, is_wanted: bool) -> Outcome {
    let health = of(context, &applied, subject.generation).await;
    publish::restored(context, subject, &applied).await;
    // What cannot be taken away is worth telling.
    if !is_wanted && health.degraded.is_empty() {
        return remove(context).await;
    }
    publish::run(context, NAME, &health, subject).await
}

/// There is nothing to tell.
pub(super) async fn remove(context: &Context) -> Outcome {
    publish::removed(context, NAME).await
}

/// What cannot be read is told by the controller of the Installation: whether Windows nodes are meant is not known.
pub(super) fn unreadable(message: &Message) -> Outcome {
    warn!("{message}");
    Outcome::Failed
}

/// Nothing was applied, because of what is wrong with the input.
pub(super) async fn invalid(context: &Context, subject: &Subject, messages: Vec<Message>) -> Outcome {
    publish::invalid(context, NAME, subject, messages).await
}
