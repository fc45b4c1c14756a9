//! Brings the cluster to the components.

use chimera_core::cluster_connection::ClusterConnectionConfig;

use crate::context::Context;
use crate::controllers::applying::{self, Extension};
use crate::controllers::health::Applied;

/// What became of each.
pub(super) async fn run(context: &Context, config: &ClusterConnectionConfig, extended: Vec<Extension>) -> Vec<Applied> {
    applying::of(context, config, extended).await
}
