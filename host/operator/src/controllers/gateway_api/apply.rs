//! Brings the cluster to the extended components.

use chimera_core::following::policies;
use chimera_core::gateway_api::GatewayApiConfig;

use crate::context::Context;
use crate::controllers::applying::{self, Extension};
use crate::controllers::health::Applied;

/// What became of each component.
pub(super) async fn run(context: &Context, config: &GatewayApiConfig, extended: Vec<Extension>) -> Vec<Applied> {
    applying::run(context, &policies(config), extended).await
}
