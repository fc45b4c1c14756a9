//! `IPPool`: a range that pods, tunnels or Services get addresses from.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::object::{Other, kinds};

kinds! {
    /// A pool of addresses.
    IpPool = IpPoolSpec,
}

/// What a pool is.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IpPoolSpec {
    /// The range, in CIDR notation.
    #[serde(default)]
    pub cidr: String,

    /// When packets between nodes are wrapped in VXLAN.
    pub vxlan_mode: Option<TunnelMode>,

    /// When packets between nodes are wrapped in IP-in-IP.
    pub ipip_mode: Option<TunnelMode>,

    /// Whether traffic that leaves the pools is given the node's address.
    pub nat_outgoing: Option<bool>,

    /// Whether no new addresses are handed out.
    pub disabled: Option<bool>,

    /// Whether the pool's routes are kept out of BGP.
    #[serde(rename = "disableBGPExport")]
    pub disable_bgp_export: Option<bool>,

    /// Prefix length of the blocks that nodes take.
    pub block_size: Option<i32>,

    /// Which nodes take addresses from the pool.
    pub node_selector: Option<String>,

    /// Which namespaces' pods take addresses from the pool.
    pub namespace_selector: Option<String>,

    /// What addresses are for.
    pub allowed_uses: Option<Vec<String>>,

    /// Whether any pod gets an address or only those that ask.
    pub assignment_mode: Option<String>,

    /// Fields that the operator does not know.
    #[serde(flatten)]
    pub other: Other,
}

/// When packets between nodes are wrapped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub enum TunnelMode {
    /// Never.
    Never,
    /// Always.
    Always,
    /// Between nodes in different subnets.
    CrossSubnet,
    /// A word that the operator does not know; kept as it is, so that one odd pool does not hide the others.
    #[serde(untagged)]
    Other(String),
}
