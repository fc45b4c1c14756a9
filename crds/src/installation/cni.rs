//! `spec.cni`: which CNI plugin and IPAM plugin pods get.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// The CNI plugin, its IPAM plugin and where both live on a node.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "!has(self.ipam) || (self.type == 'Calico' ? self.ipam.type in ['Calico', 'HostLocal'] : self.type == 'GKE' ? self.ipam.type == 'HostLocal' : self.ipam.type == self.type)",
    "message": "ipam.type does not fit type: Calico takes Calico or HostLocal, GKE takes HostLocal, AmazonVPC and AzureVNET take themselves"
}]))]
pub struct Cni {
    /// The CNI plugin that connects pods. Default when `cni` is unset: AmazonVPC on EKS and wherever the DaemonSet `kube-system/aws-node`
    /// exists, GKE on GKE, AzureVNET on AKS, else Calico. With a plugin other than Calico, Calico only enforces policy.
    #[serde(rename = "type")]
    pub type_: CniType,

    /// Who hands out the addresses of pods.
    pub ipam: Option<Ipam>,

    /// Directory on each Linux node that holds CNI binaries; it must be the one that the container runtime uses. Default:
    /// `/home/kubernetes/bin` on GKE, `/var/lib/cni/bin` on OpenShift, else `/opt/cni/bin`.
    pub bin_dir: Option<String>,

    /// Directory on each Linux node that holds CNI configuration; it must be the one that the container runtime uses. Default:
    /// `/etc/cni/net.d`, or the directory of the provider.
    pub conf_dir: Option<String>,

    /// Which CNI binaries the operator puts into `binDir`. Default: All. Only with the CNI plugin Calico.
    pub install_mode: Option<CniInstallMode>,

    /// Version of the CNI specification that the configuration declares. Default: Auto. Only with the CNI plugin Calico.
    pub spec_version: Option<CniSpecVersion>,
}

/// A CNI plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum CniType {
    /// Calico's own plugin.
    Calico,
    /// The plugin of Google Kubernetes Engine.
    #[serde(rename = "GKE")]
    Gke,
    /// The plugin of Amazon EKS, with addresses of the VPC.
    #[serde(rename = "AmazonVPC")]
    AmazonVpc,
    /// The plugin of Azure, with addresses of the virtual network.
    #[serde(rename = "AzureVNET")]
    AzureVnet,
}

/// Who hands out the addresses of pods.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ipam {
    /// The IPAM plugin. With the CNI plugin Calico it is Calico (the default) or HostLocal, and the operator installs it; every other
    /// CNI plugin brings its own: HostLocal for GKE, AmazonVPC and AzureVNET for those of the same name.
    #[serde(rename = "type")]
    pub type_: IpamType,
}

/// An IPAM plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum IpamType {
    /// Blocks of addresses out of Calico's IP pools.
    Calico,
    /// The range that Kubernetes gives each node (`spec.podCIDR` of the Node).
    HostLocal,
    /// Addresses of the VPC; only with the CNI plugin of the same name.
    #[serde(rename = "AmazonVPC")]
    AmazonVpc,
    /// Addresses of the virtual network; only with the CNI plugin of the same name.
    #[serde(rename = "AzureVNET")]
    AzureVnet,
}

/// Which CNI binaries are put on nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum CniInstallMode {
    /// Calico's binaries and the reference plugins that they call.
    All,
    /// Calico's binaries only; the reference plugins must be on the node already.
    CalicoOnly,
}

/// Version of the CNI specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum CniSpecVersion {
    /// One that the operator picks; it may rise when the operator is upgraded.
    Auto,
    /// 0.3.1, for container runtimes that know nothing newer.
    #[serde(rename = "0.3.1")]
    V0_3_1,
    /// 0.4.0, which adds CHECK.
    #[serde(rename = "0.4.0")]
    V0_4_0,
    /// 1.0.0.
    #[serde(rename = "1.0.0")]
    V1_0_0,
}
