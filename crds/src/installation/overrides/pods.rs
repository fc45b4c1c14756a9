//! Workloads of which only the pods, or only their specification, can be changed; and pods with more to change than the plain set.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Affinity, Toleration, TopologySpreadConstraint};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::container::Container;

/// Changes to the pods of a workload; `T` is their template.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodsOnly<T> {
    /// Changes to the workload's specification.
    pub spec: Option<PodsOnlySpec<T>>,
}

/// Changes to a workload's specification: its pods.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodsOnlySpec<T> {
    /// Changes to the pods.
    pub template: Option<T>,
}

/// A template of pods whose labels and annotations stay the operator's.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SpecOnly<P> {
    /// Changes to the pods' specification.
    pub spec: Option<P>,
}

/// Changes to the specification of pods that can be spread; `N` lists their containers.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SpreadPodSpec<N> {
    /// Affinity, instead of the one that the operator sets.
    pub affinity: Option<Affinity>,

    /// Changes to containers. A container that is not listed stays as it is.
    pub containers: Option<Vec<Container<N>>>,

    /// Node labels that are required in addition. One that the operator requires itself keeps the operator's value.
    pub node_selector: Option<BTreeMap<String, String>>,

    /// Tolerations, instead of those that the operator sets.
    pub tolerations: Option<Vec<Toleration>>,

    /// How pods are spread over zones, nodes and the like, instead of what the operator sets.
    pub topology_spread_constraints: Option<Vec<TopologySpreadConstraint>>,
}

// By hand, as `derive` would ask for a default container name.
impl<N> Default for SpreadPodSpec<N> {
    fn default() -> Self {
        Self {
            affinity: None,
            containers: None,
            node_selector: None,
            tolerations: None,
            topology_spread_constraints: None,
        }
    }
}

/// Changes to the specification of pods that can be spread, ranked and given time to end; `N` lists their containers.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RankedPodSpec<N> {
    /// Affinity, instead of the one that the operator sets.
    pub affinity: Option<Affinity>,

    /// Changes to containers. A container that is not listed stays as it is.
    pub containers: Option<Vec<Container<N>>>,

    /// Node labels that are required in addition. One that the operator requires itself keeps the operator's value.
    pub node_selector: Option<BTreeMap<String, String>>,

    /// Name of the PriorityClass of the pods. Default: what the operator sets, if anything.
    pub priority_class_name: Option<String>,

    /// Time that a pod has to end when it is stopped, in seconds. Default: 30.
    #[schemars(range(min = 0))]
    pub termination_grace_period_seconds: Option<i64>,

    /// Tolerations, instead of those that the operator sets.
    pub tolerations: Option<Vec<Toleration>>,

    /// How pods are spread over zones, nodes and the like. Default: no constraint.
    pub topology_spread_constraints: Option<Vec<TopologySpreadConstraint>>,
}

// By hand, as `derive` would ask for a default container name.
impl<N> Default for RankedPodSpec<N> {
    fn default() -> Self {
        Self {
            affinity: None,
            containers: None,
            node_selector: None,
            priority_class_name: None,
            termination_grace_period_seconds: None,
            tolerations: None,
            topology_spread_constraints: None,
        }
    }
}
