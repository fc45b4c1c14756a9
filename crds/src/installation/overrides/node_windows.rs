//! Changes to the DaemonSet calico-node-windows.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Affinity, Toleration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::Workload;
use super::container::{Container, InitContainer};

/// Changes to the DaemonSet calico-node-windows.
pub type NodeWindowsDaemonSet = Workload<NodeWindowsPodSpec>;

/// Changes to the pods of calico-node-windows.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeWindowsPodSpec {
    /// Affinity, instead of the one that the operator sets.
    pub affinity: Option<Affinity>,

    /// Changes to containers. A container that is not listed stays as it is.
    pub containers: Option<Vec<Container<NodeWindowsContainer>>>,

    /// Changes to init containers. One that is not listed stays as it is.
    pub init_containers: Option<Vec<InitContainer<NodeWindowsInitContainer>>>,

    /// Node labels that are required in addition. One that the operator requires itself keeps the operator's value.
    pub node_selector: Option<BTreeMap<String, String>>,

    /// Tolerations, instead of those that the operator sets, which tolerate every taint.
    pub tolerations: Option<Vec<Toleration>>,
}

/// Containers of calico-node-windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum NodeWindowsContainer {
    /// Former name of the container `node`.
    #[serde(rename = "calico-node-windows")]
    CalicoNodeWindows,
    /// Sets the node up.
    #[serde(rename = "node")]
    Node,
    /// Programs the dataplane.
    #[serde(rename = "felix")]
    Felix,
    /// Configures BGP.
    #[serde(rename = "confd")]
    Confd,
}

/// Init containers of calico-node-windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum NodeWindowsInitContainer {
    /// Puts the CNI binaries and configuration on the node.
    #[serde(rename = "install-cni")]
    InstallCni,
    /// Prepares directories on the node.
    #[serde(rename = "hostpath-init")]
    HostpathInit,
    /// Puts the FlexVolume driver on the node.
    #[serde(rename = "flexvol-driver")]
    FlexvolDriver,
    /// Requests the node's certificate, with `certificateManagement`.
    #[serde(rename = "node-certs-key-cert-provisioner")]
    NodeCerts,
    /// Requests the metrics server's certificate, with `certificateManagement`.
    #[serde(rename = "calico-node-windows-prometheus-server-tls-key-cert-provisioner")]
    PrometheusCerts,
}
