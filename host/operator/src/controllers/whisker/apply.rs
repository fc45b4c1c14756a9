//! Brings the cluster to the extended components.

use chimera_core::whisker::WhiskerConfig;

use crate::context::Context;
use crate::controllers::applying::{self, Extension};
use crate::controllers::health::Applied;

/// What became of each component.
pub(super) async fn run(context: &Context, config: &WhiskerConfig, extended: Vec<Extension>) -> Vec<Applied> {
    applying::of(context, config, extended).await
}
