//! `IPAMConfig` (`IPAMConfiguration` in v3): how addresses are handed out.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::object::{Other, kinds};

kinds! {
    /// How addresses are handed out; there is one, named `default`.
    IpamConfig = IpamConfigSpec,
}

/// The settings that the operator writes, for Windows nodes.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IpamConfigSpec {
    /// Whether a node may only use its own blocks.
    pub strict_affinity: Option<bool>,

    /// Whether a node takes a further block when its own are full.
    pub auto_allocate_blocks: Option<bool>,

    /// How many blocks a node may have; 0 sets no limit.
    pub max_blocks_per_host: Option<i32>,

    /// Fields that the operator does not know.
    #[serde(flatten)]
    pub other: Other,
}
