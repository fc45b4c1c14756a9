//! The ippools controller: the address pools that an Installation asks for.

mod apply;
mod dereference;
mod extend;
mod render;
mod status;
pub(super) mod validate;

use std::sync::Arc;

use super::driver::{Controller, Outcome};
use super::installation::removal::{self, Stage};
use crate::context::Context;
use render::Rendered;

/// The controller.
#[derive(Clone, Copy, Debug)]
pub struct IpPools;

impl Controller for IpPools {
    const NAME: &'static str = "ippools";

    async fn reconcile(&self, context: &Context) -> Outcome {
        match removal::stage(context).await {
            Stage::Serve => {}
            // Pools hold the addresses of pods that go on running, so they stay.
            Stage::Leaving(_) => return Outcome::Settled,
            Stage::Gone => return status::remove(context).await,
        }
        let found = match dereference::run(context).await {
            Ok(Some(found)) => found,
            Ok(None) => return status::remove(context).await,
            Err(message) => return status::unreadable(context, message).await,
        };
        let subject = found.found.subject.clone();
        let validated = match validate::run(found, context) {
            Ok(validated) => validated,
            Err(messages) => return status::invalid(context, &subject, messages).await,
        };
        let Rendered { components, messages } = match render::run(&validated) {
            Ok(rendered) => rendered,
            Err(message) => return status::invalid(context, &subject, vec![message]).await,
        };
        let messages = validated.warnings().chain(messages).collect();
        let config = Arc::new(validated.config);
        let extended = extend::run(context, Arc::clone(&config), components).await;
        let applied = apply::run(context, &config, extended).await;
        status::run(context, &subject, applied, messages).await
    }
}
