//! The tiers controller: the tier of the operator's network policies, and the policy that keeps the DNS in reach of what
//! Calico runs.
//!
//! Both need Calico's own API. Where it does not answer, the status says what brings it, and nothing else waits for that.

mod dereference;
mod extend;
mod render;
mod status;

use std::sync::Arc;

use chimera_core::following;
use chimera_core::tiers::TiersConfig;

use super::driver::{Controller, Outcome};
use super::{applying, calico_api};
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
        let config = match super::following::config(&inputs, context) {
            Ok(installation) => TiersConfig::new(installation),
            Err(messages) => return status::invalid(context, &subject, messages).await,
        };
        let rendered = match render::run(&config) {
            Ok(rendered) => rendered,
            Err(messages) => return status::invalid(context, &subject, messages).await,
        };
        let config = Arc::new(config);
        let extended = extend::run(context, Arc::clone(&config), rendered).await;
        let is_known = calico_api::has_made_tier(context);
        let applied = applying::run(context, &following::policies(config.as_ref()), extended).await;
        if !is_known && calico_api::has_made_tier(context) {
            calico_api::announce_tier(context);
        }
        status::run(context, &subject, applied).await
    }
}
