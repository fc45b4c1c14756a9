//! `spec.calicoNetwork`: what Calico's dataplane does with packets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::autodetection::NodeAddressAutodetection;
use super::ip_pool::IpPool;
use super::toggle::Toggle;

/// Dataplane, routing, address pools and the like.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "!has(self.bpfNetworkBootstrap) || self.bpfNetworkBootstrap != 'Enabled' || !has(self.linuxDataplane) || self.linuxDataplane == 'BPF'",
    "message": "bpfNetworkBootstrap needs linuxDataplane BPF: set that, or set bpfNetworkBootstrap to Disabled"
}]))]
pub struct CalicoNetwork {
    /// Which kernel technology moves and filters packets on Linux nodes. Default: Iptables.
    pub linux_dataplane: Option<LinuxDataplane>,

    /// Which technology is used on Windows nodes. Default: Disabled, that is, no Calico on Windows nodes.
    pub windows_dataplane: Option<WindowsDataplane>,

    /// Whether BGP runs on nodes and exchanges routes. Default: Enabled with Calico's CNI plugin, Disabled with any other.
    pub bgp: Option<Toggle>,

    /// Who programs the routes to pods on other nodes, for pools without VXLAN; routes of VXLAN pools are always Felix's. Default: what
    /// the deployed Calico does by itself, FelixIPIPOnly since v3.33.
    pub cluster_routing_mode: Option<ClusterRoutingMode>,

    /// The IP pools that the operator creates and keeps in step with this list, at most 25. Default: one pool for each IP family of the
    /// cluster's pod CIDR, else `192.168.0.0/16`. With an empty list the operator manages no pool and waits for somebody else's.
    #[schemars(length(max = 25))]
    pub ip_pools: Option<Vec<IpPool>>,

    /// Largest packet on pod interfaces, in bytes. Default: found out on each node from its interfaces, less what encapsulation takes.
    pub mtu: Option<i32>,

    /// How a node finds its IPv4 address. Default: firstFound, or what fits the platform, such as canReach on EKS.
    #[serde(rename = "nodeAddressAutodetectionV4")]
    pub node_address_autodetection_v4: Option<NodeAddressAutodetection>,

    /// How a node finds its IPv6 address. Default: firstFound where the pools hold IPv6, else nodes have no IPv6 address.
    #[serde(rename = "nodeAddressAutodetectionV6")]
    pub node_address_autodetection_v6: Option<NodeAddressAutodetection>,

    /// Whether `hostPort` of containers works, by adding the portmap plugin to the CNI configuration. Default: Enabled. Only with
    /// Calico's CNI plugin.
    pub host_ports: Option<Toggle>,

    /// Who gives a pod more than one interface. Default: None.
    pub multi_interface_mode: Option<MultiInterfaceMode>,

    /// Whether pods may forward packets that are not their own (the sysctl `ip_forward` inside the pod). Default: Disabled.
    #[serde(rename = "containerIPForwarding")]
    pub container_ip_forwarding: Option<Toggle>,

    /// Kernel parameters that the tuning plugin sets inside each pod. Default: none.
    pub sysctl: Option<Vec<Sysctl>>,

    /// How long the CNI plugin lets a new pod wait for its policy to be in place, in seconds; after that the pod starts anyway. Default:
    /// 0, do not wait. Linux nodes only.
    pub linux_policy_setup_timeout_seconds: Option<i32>,

    /// Which kind of interface connects a pod on Linux. Default: Veth. Only with Calico's CNI plugin.
    pub linux_pod_interface_type: Option<LinuxPodInterfaceType>,

    /// Whether the operator finds the API server's addresses itself (from the Service `kubernetes` and its endpoints), so that the BPF
    /// dataplane can start without kube-proxy. Default: Disabled. Needs the BPF dataplane, and must not be combined with the ConfigMap
    /// `kubernetes-services-endpoint`, which does the same by hand.
    pub bpf_network_bootstrap: Option<Toggle>,

    /// Whether the operator turns kube-proxy off while the BPF dataplane is in use, and on again with any other. Default: Disabled. Needs
    /// a kube-proxy that runs as the DaemonSet `kube-system/kube-proxy`.
    pub kube_proxy_management: Option<Toggle>,
}

/// How packets are moved and filtered on Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum LinuxDataplane {
    /// iptables and IP sets.
    Iptables,
    /// eBPF programs, which also take over Services from kube-proxy.
    #[serde(rename = "BPF")]
    Bpf,
    /// VPP; its agent is installed separately.
    #[serde(rename = "VPP")]
    Vpp,
    /// nftables; kube-proxy must be in nftables mode too.
    Nftables,
}

/// How packets are moved and filtered on Windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum WindowsDataplane {
    /// The Host Networking Service. Needs `serviceCIDRs`.
    #[serde(rename = "HNS")]
    Hns,
    /// Calico does not run on Windows nodes.
    Disabled,
}

/// Who programs routes within the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum ClusterRoutingMode {
    /// BIRD programs all of them; deprecated for pools with IP-in-IP.
    #[serde(rename = "BIRD")]
    Bird,
    /// Felix programs all of them.
    Felix,
    /// Felix programs those of pools with IP-in-IP, BIRD those of pools without encapsulation.
    #[serde(rename = "FelixIPIPOnly")]
    FelixIpipOnly,
}

/// Who gives a pod more than one interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum MultiInterfaceMode {
    /// Nobody: each pod has one interface.
    None,
    /// Multus calls Calico for additional interfaces. Only with variants that support it.
    Multus,
}

/// The kind of interface that connects a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum LinuxPodInterfaceType {
    /// A virtual Ethernet pair.
    Veth,
    /// A netkit pair, which is faster with the BPF dataplane; a virtual Ethernet pair where Linux is older than 6.7.
    Netkit,
}

/// One kernel parameter.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sysctl {
    /// The parameter's name.
    pub key: SysctlKey,

    /// Its value. The keepalive times are in seconds, the number of probes is a count.
    pub value: String,
}

/// The kernel parameters that may be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum SysctlKey {
    /// Time between keepalive probes.
    #[serde(rename = "net.ipv4.tcp_keepalive_intvl")]
    TcpKeepaliveIntvl,
    /// Number of unanswered probes after which a connection is dead.
    #[serde(rename = "net.ipv4.tcp_keepalive_probes")]
    TcpKeepaliveProbes,
    /// Idle time before the first probe.
    #[serde(rename = "net.ipv4.tcp_keepalive_time")]
    TcpKeepaliveTime,
}
