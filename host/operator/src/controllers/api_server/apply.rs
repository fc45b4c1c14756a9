//! Brings the cluster to the extended components.

use chimera_core::api_server::ApiServerConfig;

use crate::context::Context;
use crate::controllers::applying::{self, Extension};
use crate::controllers::health::Applied;

/// What became of each component.
pub(super) async fn run(context: &Context, config: &ApiServerConfig, extended: Vec<Extension>) -> Vec<Applied> {
    applying::of(context, config, extended).await
}
