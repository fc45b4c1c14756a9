//! Changes to the Deployments calico-apiserver and calico-webhooks.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Affinity, Toleration, TopologySpreadConstraint};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::installation::overrides::{InitContainer, ServingContainer, Workload};

/// Changes to the Deployment calico-apiserver.
pub type ApiServerDeployment = Workload<ApiServerPodSpec>;
/// Changes to the Deployment calico-webhooks.
pub type WebhooksDeployment = Workload<WebhooksPodSpec>;

/// Changes to the pods of calico-apiserver.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiServerPodSpec {
    /// Affinity, instead of the one that the operator sets, which keeps replicas apart.
    pub affinity: Option<Affinity>,

    /// Changes to containers. A container that is not listed stays as it is.
    pub containers: Option<Vec<ServingContainer<ApiServerContainer, ApiServerPort>>>,

    /// Changes to init containers. One that is not listed stays as it is.
    pub init_containers: Option<Vec<InitContainer<ApiServerInitContainer>>>,

    /// Node labels that are required in addition. One that the operator requires itself, or by `controlPlaneNodeSelector`, keeps its
    /// value.
    pub node_selector: Option<BTreeMap<String, String>>,

    /// Name of the PriorityClass of the pods. Default: what the operator sets, if anything.
    pub priority_class_name: Option<String>,

    /// Tolerations, instead of those that the operator sets.
    pub tolerations: Option<Vec<Toleration>>,

    /// How pods are spread over zones, nodes and the like. Default: no constraint.
    pub topology_spread_constraints: Option<Vec<TopologySpreadConstraint>>,
}

/// Containers of calico-apiserver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum ApiServerContainer {
    /// The API server.
    #[serde(rename = "calico-apiserver")]
    ApiServer,
    /// Answers queries about policies and endpoints, in variants that have it.
    #[serde(rename = "tigera-queryserver")]
    QueryServer,
    /// Adds sidecars to pods, in variants that have it.
    #[serde(rename = "calico-l7-admission-controller")]
    L7AdmissionController,
}

/// Ports of calico-apiserver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum ApiServerPort {
    /// That of the API server.
    #[serde(rename = "apiserver")]
    ApiServer,
    /// That of the query server.
    #[serde(rename = "queryserver")]
    QueryServer,
    /// That of the admission controller.
    #[serde(rename = "l7admctrl")]
    L7AdmissionController,
}

/// Init containers of calico-apiserver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum ApiServerInitContainer {
    /// Requests the API server's certificate, with `certificateManagement`.
    #[serde(rename = "calico-apiserver-certs-key-cert-provisioner")]
    ApiServerCerts,
}

/// Changes to the pods of calico-webhooks.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhooksPodSpec {
    /// Affinity, instead of the one that the operator sets, which keeps replicas apart.
    pub affinity: Option<Affinity>,

    /// Changes to containers. A container that is not listed stays as it is.
    pub containers: Option<Vec<ServingContainer<WebhooksContainer, WebhooksPort>>>,

    /// Whether the pods are on the host network, with the cluster's DNS. Default: only where the Kubernetes API server cannot reach
    /// pods, such as on EKS or TKG with Calico's CNI plugin.
    pub host_network: Option<bool>,

    /// Node labels that are required in addition. One that the operator requires itself, or by `controlPlaneNodeSelector`, keeps its
    /// value.
    pub node_selector: Option<BTreeMap<String, String>>,

    /// Tolerations, instead of those that the operator sets.
    pub tolerations: Option<Vec<Toleration>>,
}

/// Containers of calico-webhooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum WebhooksContainer {
    /// The only one.
    #[serde(rename = "calico-webhooks")]
    Webhooks,
}

/// Ports of calico-webhooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum WebhooksPort {
    /// The only one, 6443 by default.
    #[serde(rename = "calico-webhooks")]
    Webhooks,
}
