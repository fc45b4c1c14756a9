//! Brings the cluster to the extended components.

use chimera_core::goldmane::GoldmaneConfig;

use crate::context::Context;
use crate::controllers::applying::{self, Extension};
use crate::controllers::health::Applied;

/// What became of each component.
pub(super) async fn run(context: &Context, config: &GoldmaneConfig, extended: Vec<Extension>) -> Vec<Applied> {
    applying::of(context, config, extended).await
}
