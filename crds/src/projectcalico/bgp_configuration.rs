//! `BGPConfiguration`: how BGP is spoken. The operator shares it with its users.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::object::{Other, kinds};

kinds! {
    /// How BGP is spoken; `default` applies to every node.
    BgpConfiguration = BgpConfigurationSpec,
}

/// The settings that the operator reads or writes.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BgpConfigurationSpec {
    /// Whether every node speaks to every other.
    pub node_to_node_mesh_enabled: Option<bool>,

    /// The autonomous system of nodes that name none.
    pub as_number: Option<u32>,

    /// TCP port of BGP.
    pub listen_port: Option<u16>,

    /// Whether BIRD programs routes to pods on other nodes.
    pub program_cluster_routes: Option<String>,

    /// The least severe messages that are logged.
    pub log_severity_screen: Option<String>,

    /// Fields that the operator does not know.
    #[serde(flatten)]
    pub other: Other,
}
