//! The ippools controller: the address pools that an Installation asks for.

mod apply;
mod dereference;
mod extend;
mod render;
mod status;
mod validate;

use std::sync::Arc;

use tracing::debug;

use super::driver::{Controller, Outcome};
use crate::context::Context;

/// The controller.
#[derive(Clone, Copy, Debug)]
pub struct IpPools;

impl Controller for IpPools {
    const NAME: &'static str = "ippools";

    async fn reconcile(&self, context: &Context) -> Outcome {
        let found = match dereference::run(context).await {
            Ok(Some(found)) => found,
            Ok(None) => {
                debug!("there is no Installation");
                return Outcome::Settled;
            }
            Err(message) => return status::unreadable(context, message).await,
        };
        let subject = found.subject.clone();
        let validated = match validate::run(found, context) {
            Ok(validated) => validated,
            Err(messages) => return status::invalid(context, &subject, messages).await,
        };
        let rendered = match render::run(&validated) {
            Ok(rendered) => rendered,
            Err(message) => return status::invalid(context, &subject, vec![message]).await,
        };
        let config = Arc::new(validated.config);
        let extended = extend::run(context, Arc::clone(&config), rendered).await;
        let applied = apply::run(context, &config, extended).await;
        status::run(context, &subject, applied).await
    }
}
