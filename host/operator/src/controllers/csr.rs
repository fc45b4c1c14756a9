//! The csr controller: answers certificate signing requests of the operator's own pods, where the Installation names the
//! operator itself as their signer. Elsewhere it looks at none, and watches none.

mod apply;
mod dereference;
mod extend;
mod render;
mod status;
mod validate;

use std::sync::Arc;

use super::driver::{Controller, Outcome};
use super::installation::removal::{self, Stage};
use crate::context::Context;
use status::Told;

/// The controller.
#[derive(Debug, Default)]
pub struct Csr {
    /// Which requests were told to be left alone, so that each is told once.
    told: Told,
}

impl Controller for Csr {
    const NAME: &'static str = "csr";

    async fn reconcile(&self, context: &Context) -> Outcome {
        match removal::stage(context).await {
            Stage::Serve => {}
            Stage::Leaving(_) | Stage::Gone => return status::remove(context).await,
        }
        let found = match dereference::run(context).await {
            Ok(Some(found)) => found,
            Ok(None) => return status::remove(context).await,
            Err(message) => return status::unreadable(&message),
        };
        let subject = found.subject.clone();
        let validated = match validate::run(found, context) {
            Ok(Some(validated)) => validated,
            Ok(None) => return status::remove(context).await,
            Err(messages) => return status::invalid(context, &subject, messages).await,
        };
        let rendered = render::run(&validated.config);
        let config = Arc::new(validated.config);
        let extended = extend::run(context, Arc::clone(&config), rendered).await;
        let applied = apply::run(context, &config, extended).await;
        let answered = apply::answer(context, &validated.signer, &validated.requests).await;
        status::run(context, &self.told, &subject, applied, answered).await
    }
}
