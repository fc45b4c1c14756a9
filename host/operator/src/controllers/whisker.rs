//! The whisker controller: the web console for flows, where a Whisker asks for it.

mod apply;
mod dereference;
mod extend;
mod render;
mod status;
mod validate;

use std::sync::Arc;

use super::driver::{Controller, Outcome};
use super::following::{self, Search};
use crate::context::Context;
use validate::Validated;

/// The controller.
#[derive(Clone, Copy, Debug)]
pub struct Whisker;

impl Controller for Whisker {
    const NAME: &'static str = "whisker";

    async fn reconcile(&self, context: &Context) -> Outcome {
        let own = match dereference::own(context).await {
            Ok(Search::Found(own)) => *own,
            Ok(Search::Unknown) => return Outcome::Settled,
            // What it owns goes with it.
            Ok(Search::Nothing | Search::Leaving) => return status::remove(context).await,
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
        let rendered = match render::run(&validated) {
            Ok(rendered) => rendered,
            Err(messages) => return status::invalid(context, &subject, messages).await,
        };
        let Validated { config, warnings, .. } = validated;
        let config = Arc::new(config);
        let extended = extend::run(context, Arc::clone(&config), rendered).await;
        let applied = apply::run(context, &config, extended).await;
        let renewal = following::until_renewal(config.as_ref(), context);
        status::run(context, &subject, applied, warnings).await.at_latest(renewal)
    }
}
