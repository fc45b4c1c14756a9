//! The apiserver controller: what makes Calico's resources a part of the Kubernetes API.

mod answer;
mod apply;
mod dereference;
mod extend;
mod render;
mod status;
mod validate;

use std::sync::Arc;

use super::driver::{Controller, Outcome};
use super::following;
use crate::context::Context;
use dereference::Read;

/// The controller.
#[derive(Clone, Copy, Debug)]
pub struct ApiServer;

impl Controller for ApiServer {
    const NAME: &'static str = "apiserver";

    async fn reconcile(&self, context: &Context) -> Outcome {
        let found = match dereference::run(context).await {
            Read::Unknown => return Outcome::Settled,
            // What it owned goes with it.
            Read::Nothing => return status::remove(context).await,
            Read::Refused(subject, message) => return status::invalid(context, &subject, vec![*message]).await,
            Read::Found(found) => found,
        };
        let subject = found.own.subject.clone();
        let validated = match validate::run(*found, context) {
            Ok(validated) => validated,
            Err(messages) => return status::invalid(context, &subject, messages).await,
        };
        let rendered = match render::run(&validated) {
            Ok(rendered) => rendered,
            Err(messages) => return status::invalid(context, &subject, messages).await,
        };
        let told = validated.told;
        let config = Arc::new(validated.config);
        let extended = extend::run(context, Arc::clone(&config), rendered).await;
        let applied = apply::run(context, &config, extended).await;
        let renewal = following::until_renewal(config.as_ref(), context);
        status::run(context, &subject, applied, told).await.at_latest(renewal)
    }
}
