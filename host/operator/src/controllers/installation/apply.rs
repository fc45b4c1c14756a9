//! Brings the cluster to the components, each on its own.

use chimera_core::installation::config::InstallationConfig;
use chimera_core::installation::policies::policies;

use crate::context::Context;
use crate::controllers::applying::{self, Extension};
use crate::controllers::health::Applied;

/// What became of each component.
pub(in crate::controllers) async fn run(
    context: &Context,
    config: &InstallationConfig,
    extended: Vec<Extension>,
) -> Vec<Applied> {
    applying::run(context, &policies(config), extended).await
}
