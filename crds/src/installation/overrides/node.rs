//! Changes to the DaemonSet calico-node.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Affinity, PodDNSConfig, ResourceRequirements, Toleration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::Workload;
use super::container::{InitContainer, ProbeTiming};

/// Changes to the DaemonSet calico-node.
pub type NodeDaemonSet = Workload<NodePodSpec>;

/// Changes to the pods of calico-node.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodePodSpec {
    /// Affinity, instead of the one that the operator sets. A node that it excludes has no pod network.
    pub affinity: Option<Affinity>,

    /// Changes to containers. A container that is not listed stays as it is.
    pub containers: Option<Vec<NodeContainer>>,

    /// Changes to init containers. One that is not listed stays as it is.
    pub init_containers: Option<Vec<InitContainer<NodeInitContainer>>>,

    /// Node labels that are required in addition. A node without them has no pod network.
    pub node_selector: Option<BTreeMap<String, String>>,

    /// Tolerations, instead of those that the operator sets, which tolerate every taint.
    pub tolerations: Option<Vec<Toleration>>,

    /// DNS servers, search domains and options, on top of what `dnsPolicy` gives.
    pub dns_config: Option<PodDNSConfig>,

    /// Where the pods' DNS configuration comes from. Default: what the operator sets.
    pub dns_policy: Option<DnsPolicy>,
}

/// Changes to one container of calico-node.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeContainer {
    /// Which container to change.
    pub name: NodeContainerName,

    /// Requests and limits, instead of those that the operator sets. Goes before `componentResources`.
    pub resources: Option<ResourceRequirements>,

    /// Timing of the liveness probe. What the probe does stays the operator's.
    pub liveness_probe: Option<ProbeTiming>,

    /// Timing of the readiness probe. What the probe does stays the operator's.
    pub readiness_probe: Option<ProbeTiming>,

    /// Timing of the startup probe. What the probe does stays the operator's.
    pub startup_probe: Option<ProbeTiming>,
}

/// Containers of calico-node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum NodeContainerName {
    /// The only one.
    #[serde(rename = "calico-node")]
    CalicoNode,
}

/// Init containers of calico-node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum NodeInitContainer {
    /// Puts the CNI binaries and configuration on the node.
    #[serde(rename = "install-cni")]
    InstallCni,
    /// Brings the reference CNI plugins.
    #[serde(rename = "cni-plugins")]
    CniPlugins,
    /// Prepares directories on the node.
    #[serde(rename = "hostpath-init")]
    HostpathInit,
    /// Puts the FlexVolume driver on the node.
    #[serde(rename = "flexvol-driver")]
    FlexvolDriver,
    /// Prepares the node for eBPF.
    #[serde(rename = "ebpf-bootstrap")]
    EbpfBootstrap,
    /// Requests calico-node's certificate, with `certificateManagement`.
    #[serde(rename = "node-certs-key-cert-provisioner")]
    NodeCerts,
    /// Requests the metrics server's certificate, with `certificateManagement`.
    #[serde(rename = "calico-node-prometheus-server-tls-key-cert-provisioner")]
    PrometheusCerts,
    /// Former name of `ebpf-bootstrap`; deprecated.
    #[serde(rename = "mount-bpffs")]
    MountBpffs,
}

/// Where a pod's DNS configuration comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum DnsPolicy {
    /// What the operator sets.
    #[serde(rename = "")]
    Unset,
    /// The node's configuration.
    Default,
    /// The cluster's DNS; on the host network the node's configuration.
    ClusterFirst,
    /// The cluster's DNS, on the host network too.
    ClusterFirstWithHostNet,
    /// Only `dnsConfig`.
    None,
}

impl DnsPolicy {
    /// The word that stands in a pod, empty for [`DnsPolicy::Unset`].
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unset => "",
            Self::Default => "Default",
            Self::ClusterFirst => "ClusterFirst",
            Self::ClusterFirstWithHostNet => "ClusterFirstWithHostNet",
            Self::None => "None",
        }
    }
}
