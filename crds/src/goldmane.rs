//! `Goldmane`: the service that collects flow logs from nodes and serves them.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::ComponentStatus;
use crate::installation::overrides::{Deployment, RankedPodSpec};

/// Changes to the Deployment goldmane.
pub type GoldmaneDeployment = Deployment<RankedPodSpec<GoldmaneContainer>>;

/// How Goldmane runs.
#[skip_serializing_none]
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "operator.tigera.io",
    version = "v1",
    kind = "Goldmane",
    plural = "goldmanes",
    status = "ComponentStatus",
    category = "calico",
    derive = "PartialEq",
    derive = "Default",
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].status",
        description = "True when Goldmane runs as configured; TigeraStatus says what does not."
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    doc = "Goldmane installs the service of the same name, which collects flow logs from all nodes, aggregates them in memory and serves them to Whisker. The operator looks at the one named `default`; deleting it removes the service and stops the collection."
)]
#[serde(rename_all = "camelCase")]
pub struct GoldmaneSpec {
    /// Changes to the Deployment goldmane.
    pub goldmane_deployment: Option<GoldmaneDeployment>,

    /// TCP port on which Goldmane serves Prometheus metrics; 0 turns them off. Default: 0.
    #[schemars(range(min = 0, max = 65535))]
    pub metrics_port: Option<i32>,
}

/// Containers of goldmane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum GoldmaneContainer {
    /// The only one.
    #[serde(rename = "goldmane")]
    Goldmane,
}
