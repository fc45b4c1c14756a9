//! `spec.calicoNetwork.ipPools`: the pools that the operator creates and keeps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::toggle::Toggle;

/// One pool of pod addresses.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    {
        "rule": "!has(self.blockSize) || (self.cidr.contains(':') ? self.blockSize >= 116 && self.blockSize <= 128 : self.blockSize >= 20 && self.blockSize <= 32)",
        "message": "blockSize must be from 20 to 32 for an IPv4 pool and from 116 to 128 for an IPv6 pool"
    },
    {
        "rule": "!has(self.encapsulation) || !self.cidr.contains(':') || !self.encapsulation.startsWith('IPIP')",
        "message": "IP-in-IP carries IPv4 only: set encapsulation of an IPv6 pool to VXLAN, VXLANCrossSubnet or None"
    }
]))]
pub struct IpPool {
    /// Name of the IPPool resource. Default: `default-ipv4-ippool` or `default-ipv6-ippool` for the first pool of each family, for
    /// further ones a name made from the CIDR.
    pub name: Option<String>,

    /// The addresses, IPv4 or IPv6, in CIDR notation such as `192.168.0.0/16`. It cannot change once the pool exists. It must lie
    /// within the cluster's pod CIDR where Kubernetes knows one, and overlap neither another pool nor the services.
    #[schemars(length(max = 64), extend("format" = "cidr"))]
    pub cidr: String,

    /// How packets between nodes are wrapped. Default: IPIP for IPv4, None for IPv6; VXLAN where BGP is disabled.
    pub encapsulation: Option<EncapsulationType>,

    /// Whether traffic that leaves the pools is given the node's address. Default: Enabled for IPv4, Disabled for IPv6.
    pub nat_outgoing: Option<Toggle>,

    /// Which nodes take addresses from this pool, in Calico's selector syntax. Default: `all()`.
    pub node_selector: Option<String>,

    /// Prefix length of the block that a node takes at a time: 20 to 32 for IPv4 (default 26, 64 addresses), 116 to 128 for IPv6
    /// (default 122). It cannot change once the pool exists.
    pub block_size: Option<i32>,

    /// Keeps the pool's routes out of BGP. Default: false.
    #[serde(rename = "disableBGPExport")]
    #[schemars(extend("default" = false))]
    pub disable_bgp_export: Option<bool>,

    /// Stops handing out addresses of this pool; those in use stay. Default: false.
    pub disable_new_allocations: Option<bool>,

    /// What addresses are for: Workload (pods), Tunnel (a node's tunnel device), LoadBalancer (Services). Default: Workload and Tunnel.
    pub allowed_uses: Option<Vec<String>>,

    /// Whether addresses are given to any pod or only to those that ask for this pool. Default: Automatic.
    pub assignment_mode: Option<AssignmentMode>,
}

/// How packets between nodes are wrapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum EncapsulationType {
    /// IP-in-IP between nodes in different subnets, none within a subnet.
    #[serde(rename = "IPIPCrossSubnet")]
    IpipCrossSubnet,
    /// IP-in-IP always. IPv4 only; needs BGP or `clusterRoutingMode` with Felix.
    #[serde(rename = "IPIP")]
    Ipip,
    /// VXLAN always.
    #[serde(rename = "VXLAN")]
    Vxlan,
    /// VXLAN between nodes in different subnets, none within a subnet.
    #[serde(rename = "VXLANCrossSubnet")]
    VxlanCrossSubnet,
    /// No wrapping: the network between nodes must carry pod addresses.
    None,
}

/// Which pods get addresses of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum AssignmentMode {
    /// Any pod.
    Automatic,
    /// Pods that name the pool in an annotation.
    Manual,
}
