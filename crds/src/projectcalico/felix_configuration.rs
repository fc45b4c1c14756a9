//! `FelixConfiguration`: how Felix, Calico's agent on each node, behaves. The operator shares it with its users.

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::object::{Other, kinds};

kinds! {
    /// How Felix behaves; `default` applies to every node.
    FelixConfiguration = FelixConfigurationSpec,
}

/// The settings that the operator reads or writes.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FelixConfigurationSpec {
    /// Whether the BPF dataplane is used.
    pub bpf_enabled: Option<bool>,

    /// Port of the health check that stands in for kube-proxy's; 0 turns it off.
    pub bpf_kube_proxy_healthz_port: Option<i32>,

    /// TCP port of Felix's own health check.
    pub health_port: Option<i32>,

    /// Whether a flow table takes established connections off the slow path.
    pub nftables_flow_table_offload: Option<String>,

    /// Whether nftables is used instead of iptables.
    pub nftables_mode: Option<String>,

    /// UDP port of VXLAN.
    pub vxlan_port: Option<i32>,

    /// VXLAN network identifier.
    #[serde(rename = "vxlanVNI")]
    pub vxlan_vni: Option<i32>,

    /// Which interfaces Felix looks at to find the largest packet, as a regular expression.
    pub mtu_iface_pattern: Option<String>,

    /// The routing tables that Felix may use.
    pub route_table_range: Option<RouteTableRange>,

    /// The routing tables that Felix may use, as several ranges.
    pub route_table_ranges: Option<Vec<RouteTableRange>>,

    /// Whether Felix programs routes to pods on other nodes.
    pub program_cluster_routes: Option<String>,

    /// The least severe messages that Felix logs.
    pub log_severity_screen: Option<String>,

    /// Whether Felix serves Prometheus metrics.
    pub prometheus_metrics_enabled: Option<bool>,

    /// TCP port of Prometheus metrics.
    pub prometheus_metrics_port: Option<i32>,

    /// Directory of the sockets by which Felix tells policy to others.
    pub policy_sync_path_prefix: Option<String>,

    /// Whether Felix works with Istio's ambient mode.
    pub istio_ambient_mode: Option<String>,

    /// DSCP value that marks traffic of Istio's ambient mode.
    #[serde(rename = "istioDSCPMark")]
    pub istio_dscp_mark: Option<IntOrString>,

    /// Fields that the operator does not know.
    #[serde(flatten)]
    pub other: Other,
}

/// A range of routing tables, both ends included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct RouteTableRange {
    /// The first.
    pub min: i64,
    /// The last.
    pub max: i64,
}
