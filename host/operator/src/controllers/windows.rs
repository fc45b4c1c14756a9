//! The windows controller: calico-node on Windows nodes, where an Installation asks for it.

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
use validate::Validated;

/// The controller.
#[derive(Clone, Copy, Debug)]
pub struct Windows;

impl Controller for Windows {
    const NAME: &'static str = "windows";

    async fn reconcile(&self, context: &Context) -> Outcome {
        match removal::stage(context).await {
            Stage::Serve => {}
            // What it owns goes with the Installation.
            Stage::Leaving(_) => return Outcome::Settled,
            Stage::Gone => return status::remove(context).await,
        }
        let found = match dereference::run(context).await {
            Ok(Some(found)) => found,
            Ok(None) => return status::remove(context).await,
            Err(message) => return status::unreadable(&message),
        };
        let subject = found.installation.subject.clone();
        let validated = match validate::run(found, context) {
            Ok(Some(validated)) => validated,
            Ok(None) => return status::remove(context).await,
            Err(messages) => return status::invalid(context, &subject, messages).await,
        };
        let rendered = match render::run(&validated) {
            Ok(rendered) => rendered,
            Err(messages) => return status::invalid(context, &subject, messages).await,
        };
        let is_wanted = matches!(validated, Validated::Wanted(..));
        let config = Arc::new(validated.into_installation());
        let extended = extend::run(context, Arc::clone(&config), rendered).await;
        let applied = apply::run(context, &config, extended).await;
        status::run(context, &subject, applied, is_wanted).await
    }
}
