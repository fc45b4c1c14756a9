//! Where the cluster runs, who pulls images, and resources by component.

use k8s_openapi::api::core::v1::ResourceRequirements;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The platform that the cluster runs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum Provider {
    /// Found out from the cluster; a cluster without such signs counts as plain Kubernetes.
    #[default]
    #[serde(rename = "")]
    None,
    /// Amazon Elastic Kubernetes Service.
    #[serde(rename = "EKS")]
    Eks,
    /// Google Kubernetes Engine.
    #[serde(rename = "GKE")]
    Gke,
    /// Azure Kubernetes Service.
    #[serde(rename = "AKS")]
    Aks,
    /// Red Hat OpenShift.
    OpenShift,
    /// Mirantis Kubernetes Engine, by its former name.
    DockerEnterprise,
    /// Rancher's RKE2.
    #[serde(rename = "RKE2")]
    Rke2,
    /// VMware Tanzu Kubernetes Grid.
    #[serde(rename = "TKG")]
    Tkg,
    /// kind, Kubernetes in containers.
    Kind,
}

/// When the kubelet pulls an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum ImagePullPolicy {
    /// Each time a container starts.
    Always,
    /// When the node does not have it.
    IfNotPresent,
    /// Never: the image must be on the node.
    Never,
}

impl ImagePullPolicy {
    /// The word that stands in a container.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Always => "Always",
            Self::IfNotPresent => "IfNotPresent",
            Self::Never => "Never",
        }
    }
}

/// Resources of one component's containers.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentResource {
    /// The component.
    pub component_name: ComponentName,

    /// Requests and limits of its main container.
    pub resource_requirements: ResourceRequirements,
}

/// A component whose resources can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum ComponentName {
    /// calico-node on Linux.
    Node,
    /// Typha.
    Typha,
    /// calico-kube-controllers.
    KubeControllers,
    /// The container `node` on Windows.
    NodeWindows,
    /// The container `felix` on Windows.
    FelixWindows,
    /// The container `confd` on Windows.
    ConfdWindows,
}
