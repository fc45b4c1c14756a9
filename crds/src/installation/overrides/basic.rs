//! Workloads with the plain set of changes: calico-kube-controllers, csi-node-driver, calico-windows-upgrade.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Affinity, Toleration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::Workload;
use super::container::Container;

/// Changes to the Deployment calico-kube-controllers.
pub type KubeControllersDeployment = Workload<PodSpec<KubeControllersContainer>>;
/// Changes to the DaemonSet csi-node-driver.
pub type CsiNodeDriverDaemonSet = Workload<PodSpec<CsiNodeDriverContainer>>;
/// Changes to the DaemonSet calico-windows-upgrade.
pub type WindowsUpgradeDaemonSet = Workload<PodSpec<WindowsUpgradeContainer>>;

/// Changes to the pods' specification; `N` lists their containers.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodSpec<N> {
    /// Affinity, instead of the one that the operator sets.
    pub affinity: Option<Affinity>,

    /// Changes to containers. A container that is not listed stays as it is.
    pub containers: Option<Vec<Container<N>>>,

    /// Node labels that are required in addition. One that the operator requires itself keeps the operator's value.
    pub node_selector: Option<BTreeMap<String, String>>,

    /// Tolerations, instead of those that the operator sets.
    pub tolerations: Option<Vec<Toleration>>,
}

// By hand, as `derive` would ask for a default container name.
impl<N> Default for PodSpec<N> {
    fn default() -> Self {
        Self { affinity: None, containers: None, node_selector: None, tolerations: None }
    }
}

/// Containers of calico-kube-controllers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum KubeControllersContainer {
    /// The container of the Deployment calico-kube-controllers.
    #[serde(rename = "calico-kube-controllers")]
    KubeControllers,
    /// The container of a second Deployment, which some variants add.
    #[serde(rename = "es-calico-kube-controllers")]
    EsKubeControllers,
}

/// Containers of csi-node-driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum CsiNodeDriverContainer {
    /// The driver.
    #[serde(rename = "calico-csi")]
    Csi,
    /// What announces the driver to the kubelet.
    #[serde(rename = "csi-node-driver-registrar")]
    Registrar,
    /// Former name of the driver's container.
    #[serde(rename = "csi-node-driver")]
    Driver,
}

/// Containers of calico-windows-upgrade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum WindowsUpgradeContainer {
    /// The only one.
    #[serde(rename = "calico-windows-upgrade")]
    WindowsUpgrade,
}
