//! Brings the cluster to the components, each on its own.

use chimera_core::component::{Component, Extended};
use chimera_core::installation::config::InstallationConfig;
use chimera_core::installation::policies::policies;
use chimera_core::policies::{PolicyContext, lay_on};

use super::extend::Extension;
use crate::context::Context;
use crate::controllers::health::{Applied, apply, frozen};

/// What became of each component.
pub(in crate::controllers) async fn run(
    context: &Context,
    config: &InstallationConfig,
    extended: Vec<Extension>,
) -> Vec<Applied> {
    let policies = policies(config);
    let mut all = Vec::new();
    for (name, result) in extended {
        all.push(match result {
            Ok(component) => one(context, component, &policies).await,
            Err(error) => frozen(name, error),
        });
    }
    all
}

async fn one(context: &Context, component: Component<Extended>, policies: &PolicyContext) -> Applied {
    let component = lay_on(component, policies);
    apply(context, &component).await
}
