//! Brings the cluster to extended components, each on its own.

use chimera_core::component::{Component, Extended};
use chimera_core::extensions::ExtensionError;
use chimera_core::following::{self, Following};
use chimera_core::policies::{PolicyContext, lay_on};

use super::health::{Applied, apply, frozen};
use crate::context::Context;

/// A component that may go on, or why it is frozen.
pub type Extension = (&'static str, Result<Component<Extended>, ExtensionError>);

/// What became of each component of a resource beside the Installation. Notes when their certificates expire.
pub async fn of(context: &Context, config: &dyn Following, extended: Vec<Extension>) -> Vec<Applied> {
    for pair in config.key_pairs() {
        if let Some(expires) = pair.expires() {
            context.metrics.certificate(pair.secret_name(), expires);
        }
    }
    run(context, &following::policies(config), extended).await
}

/// What became of each component.
pub async fn run(context: &Context, policies: &PolicyContext, extended: Vec<Extension>) -> Vec<Applied> {
    let mut all = Vec::new();
    for (name, result) in extended {
        all.push(match result {
            Ok(component) => apply(context, &lay_on(component, policies)).await,
            Err(error) => frozen(name, error),
        });
    }
    all
}
