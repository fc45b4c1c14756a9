//! Changes to the Deployment calico-typha.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Affinity, NodeAffinity, Toleration, TopologySpreadConstraint};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::container::{Container, InitContainer};
use super::deployment::Deployment;

/// Changes to the Deployment calico-typha.
pub type TyphaDeployment = Deployment<TyphaPodSpec>;

/// Changes to the pods of calico-typha.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TyphaPodSpec {
    /// Affinity, instead of the one that the operator sets. Goes before `typhaAffinity`.
    pub affinity: Option<Affinity>,

    /// Changes to containers. A container that is not listed stays as it is.
    pub containers: Option<Vec<Container<TyphaContainer>>>,

    /// Changes to init containers. One that is not listed stays as it is.
    pub init_containers: Option<Vec<InitContainer<TyphaInitContainer>>>,

    /// Node labels that are required in addition. One that the operator requires itself keeps the operator's value.
    pub node_selector: Option<BTreeMap<String, String>>,

    /// Time that Typha has to move its clients elsewhere when it is stopped, in seconds. Default: 300.
    pub termination_grace_period_seconds: Option<i64>,

    /// Tolerations, instead of those that the operator sets, which tolerate every taint.
    pub tolerations: Option<Vec<Toleration>>,

    /// How pods are spread over zones, nodes and the like. Default: no constraint.
    pub topology_spread_constraints: Option<Vec<TopologySpreadConstraint>>,
}

/// Containers of calico-typha.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum TyphaContainer {
    /// The only one.
    #[serde(rename = "calico-typha")]
    Typha,
}

/// Init containers of calico-typha.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum TyphaInitContainer {
    /// Requests Typha's certificate, with `certificateManagement`.
    #[serde(rename = "typha-certs-key-cert-provisioner")]
    TyphaCerts,
}

/// The deprecated way to place Typha.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TyphaAffinity {
    /// Which nodes Typha prefers or requires.
    pub node_affinity: Option<NodeAffinity>,
}
