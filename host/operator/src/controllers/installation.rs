//! The installation controller: everything that an Installation runs, but for its IP pools.

pub(super) mod apply;
pub(super) mod dereference;
pub(super) mod extend;
mod kube_proxy;
pub(crate) mod migration;
pub(super) mod removal;
mod render;
mod status;
mod validate;

use std::sync::Arc;

use super::driver::{Controller, Outcome};
use crate::context::Context;
use removal::Stage;

/// The controller.
#[derive(Clone, Copy, Debug)]
pub struct Installation;

impl Controller for Installation {
    const NAME: &'static str = "installation";

    async fn reconcile(&self, context: &Context) -> Outcome {
        match removal::stage(context).await {
            Stage::Serve => {}
            Stage::Leaving(live) => return removal::leave(context, &live).await,
            Stage::Gone => return removal::clean_up(context).await,
        }
        let found = match dereference::run(context).await {
            Ok(Some(found)) => found,
            // It went between two reads.
            Ok(None) => return removal::clean_up(context).await,
            Err(message) => return status::unreadable(context, message).await,
        };
        let subject = found.subject.clone();
        let old = migration::Old::of(&found.inputs);
        let proxy = kube_proxy::Wish::of(&found.inputs);
        let (config, strays) = match validate::run(found, context) {
            Ok(validated) => validated,
            Err(messages) => return status::invalid(context, &subject, messages).await,
        };
        let rendered = match render::run(&config) {
            Ok(rendered) => rendered,
            Err(messages) => return status::invalid(context, &subject, messages).await,
        };
        if let Err(message) = removal::hold(context, &subject.key).await {
            return status::invalid(context, &subject, vec![message]).await;
        }
        let config = Arc::new(config);
        let extended = extend::run(context, Arc::clone(&config), rendered).await;
        let migration = migration::run(context, &config, &old, extended).await;
        let applied = apply::run(context, &config, migration.components).await;
        let proxied = kube_proxy::run(context, proxy).await;
        // What is told of the move goes first: it explains the rest.
        let applied = migration.told.into_iter().chain(applied).chain([proxied]).collect();
        migration.pace.keep(status::run(context, &subject, &config, applied, strays).await)
    }
}
