//! Brings the cluster to the extended components; whoever has policies for the tier hears of it at once.

use chimera_core::tiers::TiersConfig;

use super::super::calico_api;
use crate::context::Context;
use crate::controllers::applying::{self, Extension};
use crate::controllers::health::Applied;

/// What became of each component.
pub(super) async fn run(context: &Context, config: &TiersConfig, extended: Vec<Extension>) -> Vec<Applied> {
    let is_known = calico_api::has_made_tier(context);
    let applied = applying::of(context, config, extended).await;
    if !is_known && calico_api::has_made_tier(context) {
        calico_api::announce_tier(context);
    }
    applied
}
