//! Deployments of which the way that pods are replaced can be changed, too.

use k8s_openapi::api::apps::v1::RollingUpdateDeployment;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::{Metadata, PodTemplate};

/// Changes to a Deployment; `P` holds those to its pods.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Deployment<P> {
    /// Labels and annotations to add to the Deployment.
    pub metadata: Option<Metadata>,

    /// Changes to the Deployment's specification.
    pub spec: Option<DeploymentSpec<P>>,
}

/// Changes to the Deployment's specification.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeploymentSpec<P> {
    /// How long a new pod must have been ready, without a container crashing, to count as available, in seconds. Default: 0.
    #[schemars(range(min = 0, max = 2_147_483_647))]
    pub min_ready_seconds: Option<i32>,

    /// How pods are replaced when the Deployment changes.
    pub strategy: Option<Strategy>,

    /// Changes to the pods.
    pub template: Option<PodTemplate<P>>,
}

/// How pods are replaced.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Strategy {
    /// How many pods may be missing or in excess during a rolling update, as numbers or percentages.
    pub rolling_update: Option<RollingUpdateDeployment>,
}
