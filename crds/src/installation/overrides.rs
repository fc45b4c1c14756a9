//! What a user may change in the workloads that the operator renders. One shape serves all of them; only pods and containers differ.

pub mod basic;
pub mod container;
pub mod deployment;
pub mod disruption;
pub mod node;
pub mod node_windows;
pub mod pods;
pub mod typha;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

pub use basic::{
    CsiNodeDriverContainer, CsiNodeDriverDaemonSet, KubeControllersContainer, KubeControllersDeployment, PodSpec,
    WindowsUpgradeContainer, WindowsUpgradeDaemonSet,
};
pub use container::{Container, ContainerPort, InitContainer, ProbeTiming, ServingContainer};
pub use deployment::{Deployment, DeploymentSpec, Strategy};
pub use disruption::{PodDisruptionBudget, PodDisruptionBudgetSpec, UnhealthyPodEvictionPolicy};
pub use node::{DnsPolicy, NodeContainer, NodeContainerName, NodeDaemonSet, NodeInitContainer, NodePodSpec};
pub use node_windows::{NodeWindowsContainer, NodeWindowsDaemonSet, NodeWindowsInitContainer, NodeWindowsPodSpec};
pub use pods::{PodsOnly, PodsOnlySpec, RankedPodSpec, SpecOnly, SpreadPodSpec};
pub use typha::{TyphaAffinity, TyphaContainer, TyphaDeployment, TyphaInitContainer, TyphaPodSpec};

/// Changes to a workload; `P` holds those to its pods.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Workload<P> {
    /// Labels and annotations to add to the workload.
    pub metadata: Option<Metadata>,

    /// Changes to the workload's specification.
    pub spec: Option<WorkloadSpec<P>>,
}

/// Changes to a workload's specification.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkloadSpec<P> {
    /// How long a new pod must have been ready, without a container crashing, to count as available, in seconds. Default: what the
    /// operator renders, normally 0.
    #[schemars(range(min = 0, max = 2_147_483_647))]
    pub min_ready_seconds: Option<i32>,

    /// Changes to the pods.
    pub template: Option<PodTemplate<P>>,
}

/// Changes to a workload's pods.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodTemplate<P> {
    /// Labels and annotations to add to the pods.
    pub metadata: Option<Metadata>,

    /// Changes to the pods' specification.
    pub spec: Option<P>,
}

/// Labels and annotations to add.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// Labels to add. One that the operator sets itself keeps the operator's value.
    pub labels: Option<BTreeMap<String, String>>,

    /// Annotations to add. One that the operator sets itself keeps the operator's value.
    pub annotations: Option<BTreeMap<String, String>>,
}
