//! Changes to the workloads of Envoy Gateway: the controller, the Job that makes its certificates, and gateways.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::installation::overrides::{Metadata, PodSpec, PodTemplate, PodsOnly, PodsOnlySpec, SpreadPodSpec, Strategy};

/// Changes to gateways that run as DaemonSets.
pub type GatewayDaemonSet = PodsOnly<PodTemplate<SpreadPodSpec<GatewayContainer>>>;

/// Changes to gateways that run as Deployments.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayDeployment {
    /// Changes to the Deployments' specification.
    pub spec: Option<GatewayDeploymentSpec>,
}

/// Changes to the Deployments' specification.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayDeploymentSpec {
    /// How many replicas each gateway has. Default: 1.
    #[schemars(range(min = 0))]
    pub replicas: Option<i32>,

    /// How pods are replaced when a Deployment changes.
    pub strategy: Option<Strategy>,

    /// Changes to the pods.
    pub template: Option<PodTemplate<SpreadPodSpec<GatewayContainer>>>,
}

/// Changes to the Deployment of the controller.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayControllerDeployment {
    /// Labels and annotations to add to the Deployment.
    pub metadata: Option<Metadata>,

    /// Changes to the Deployment's specification.
    pub spec: Option<GatewayControllerDeploymentSpec>,
}

/// Changes to the Deployment's specification.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayControllerDeploymentSpec {
    /// How long a new pod must have been ready, without a container crashing, to count as available, in seconds. Default: 0.
    #[schemars(range(min = 0, max = 2_147_483_647))]
    pub min_ready_seconds: Option<i32>,

    /// How many replicas the controller has; one works at a time. Default: 1.
    #[schemars(range(min = 0))]
    pub replicas: Option<i32>,

    /// Changes to the pods.
    pub template: Option<PodTemplate<SpreadPodSpec<ControllerContainer>>>,
}

/// Changes to the Job that makes the controller's certificates.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayCertgenJob {
    /// Labels and annotations to add to the Job.
    pub metadata: Option<Metadata>,

    /// Changes to the Job's specification.
    pub spec: Option<PodsOnlySpec<PodTemplate<PodSpec<CertgenContainer>>>>,
}

/// Containers of a gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum GatewayContainer {
    /// The proxy.
    #[serde(rename = "envoy")]
    Envoy,
}

/// Containers of the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum ControllerContainer {
    /// The only one.
    #[serde(rename = "envoy-gateway")]
    EnvoyGateway,
}

/// Containers of the Job that makes certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum CertgenContainer {
    /// The only one.
    #[serde(rename = "envoy-gateway-certgen")]
    Certgen,
}
