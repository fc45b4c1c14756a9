//! The tiers controller: the tier of the operator's network policies, and the policy that keeps the DNS in reach of what
//! Calico runs.
//!
//! Both need Calico's own API. Where it does not answer, the status says what brings it, and nothing else waits for that.

mod apply;
mod dereference;
mod extend;
mod render;
mod status;
mod validate;

use std::sync::Arc;

use super::driver::{Controller, Outcome};
use crate::context::Context;
use dereference::Read;

/// The controller.
#[derive(Clone, Copy, Debug)]
pub struct Tiers;

impl Controller for Tiers {
    const NAME: &'static str = "tiers";

    async fn reconcile(&self, context: &Context) -> Outcome {
        let (subject, inputs) = match dereference::run(context).await {
            Read::Nothing => return status::remove(context).await,
            Read::Unknown => return Outcome::Settled,
            Read::Waiting(subject, message) => return status::waiting(context, &subject, message).await,
            Read::Failed(message) => return status::failed(context, message).await,
            Read::Found(subject, inputs) => (subject, inputs),
        };
        let config = match validate::run(&inputs, context) {
            Ok(config) => config,
            Err(messages) => return status::invalid(context, &subject, messages).await,
        };
        let rendered = match render::run(&config) {
            Ok(rendered) => rendered,
            Err(messages) => return status::invalid(context, &subject, messages).await,
        };
        let config = Arc::new(config);
        let extended = extend::run(context, Arc::clone(&config), rendered).await;
        let applied = apply::run(context, &config, extended).await;
        status::run(context, &subject, applied).await
    }
}
