//! The istio controller: Istio's ambient mesh as the charts have it, where an Istio asks for it.

mod apply;
mod dereference;
mod extend;
mod felix;
mod render;
mod status;
mod validate;

use std::sync::Arc;

use super::driver::{Controller, Outcome};
use super::following::Search;
use crate::context::Context;
use validate::Validated;

/// The controller.
#[derive(Clone, Copy, Debug)]
pub struct Istio;

impl Controller for Istio {
    const NAME: &'static str = "istio";

    async fn reconcile(&self, context: &Context) -> Outcome {
        let own = match dereference::own(context).await {
            Ok(Search::Found(own)) => *own,
            Ok(Search::Unknown) => return Outcome::Settled,
            // What it owns goes with it; definitions stay, since resources of others are made of them.
            Ok(Search::Nothing | Search::Leaving) => return leave(context).await,
            Err((subject, message)) => return status::invalid(context, &subject, vec![message]).await,
        };
        let subject = own.subject.clone();
        let found = match dereference::run(context, own).await {
            Ok(found) => found,
            Err(message) => return status::invalid(context, &subject, vec![message]).await,
        };
        let validated = match validate::run(found, context) {
            Ok(validated) => validated,
            Err(messages) => return status::invalid(context, &subject, messages).await,
        };
        let Validated { config, definitions, readiness, takes_policies, warnings } = validated;
        let rendered = match render::run(&config, definitions, &readiness, takes_policies) {
            Ok(rendered) => rendered,
            Err(messages) => return status::invalid(context, &subject, messages).await,
        };
        let config = Arc::new(config);
        let extended = extend::run(context, Arc::clone(&config), rendered).await;
        let applied = apply::run(context, &config, extended).await;
        status::run(context, &subject, applied, warnings).await
    }
}

/// FelixConfiguration is nobody's, so what the operator set there does not go by itself.
async fn leave(context: &Context) -> Outcome {
    match (felix::forget(context).await, status::remove(context).await) {
        (Ok(()), outcome) => outcome,
        (Err(()), _) => Outcome::Failed,
    }
}
