//! What a user may change in a container.

use k8s_openapi::api::core::v1::ResourceRequirements;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// Changes to one container.
// `N` lists the names it can have.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Container<N> {
    /// Which container to change.
    pub name: N,

    /// Requests and limits, instead of those that the operator sets. Goes before `componentResources`.
    pub resources: Option<ResourceRequirements>,

    /// Timing of the liveness probe. What the probe does stays the operator's.
    pub liveness_probe: Option<ProbeTiming>,

    /// Timing of the readiness probe. What the probe does stays the operator's.
    pub readiness_probe: Option<ProbeTiming>,
}

/// Changes to one container that serves.
// `N` lists the names it can have, `P` those of its ports.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServingContainer<N, P> {
    /// Which container to change.
    pub name: N,

    /// The ports that the container serves on. A port that is not listed stays as it is.
    pub ports: Option<Vec<ContainerPort<P>>>,

    /// Requests and limits, instead of those that the operator sets.
    pub resources: Option<ResourceRequirements>,

    /// Timing of the liveness probe. What the probe does stays the operator's.
    pub liveness_probe: Option<ProbeTiming>,

    /// Timing of the readiness probe. What the probe does stays the operator's.
    pub readiness_probe: Option<ProbeTiming>,
}

/// Another number for a port.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContainerPort<P> {
    /// Which port to change.
    pub name: P,

    /// TCP port that the container listens on.
    #[schemars(range(min = 1, max = 65535))]
    pub container_port: i32,
}

/// Changes to one init container.
// `N` lists the names it can have.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InitContainer<N> {
    /// Which init container to change.
    pub name: N,

    /// Requests and limits, instead of those that the operator sets. Goes before `componentResources`.
    pub resources: Option<ResourceRequirements>,
}

/// When a probe runs. What is left out keeps the operator's value.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProbeTiming {
    /// How many failures in a row count as a failure.
    pub failure_threshold: Option<i32>,

    /// Time from the container's start to the first probe, in seconds.
    pub initial_delay_seconds: Option<i32>,

    /// Time between probes, in seconds.
    pub period_seconds: Option<i32>,

    /// Time after which a probe without an answer has failed, in seconds.
    pub timeout_seconds: Option<i32>,
}
