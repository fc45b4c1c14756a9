//! `APIServer`: the server that makes Calico's resources part of the Kubernetes API.

pub mod deployments;
pub mod logging;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

pub use deployments::{
    ApiServerContainer, ApiServerDeployment, ApiServerInitContainer, ApiServerPodSpec, ApiServerPort,
    WebhooksContainer, WebhooksDeployment, WebhooksPodSpec, WebhooksPort,
};
pub use logging::{ApiServerLogSeverity, ApiServerLogging, ServerLogging};

/// How Calico's API server runs.
#[skip_serializing_none]
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "operator.tigera.io",
    version = "v1",
    kind = "APIServer",
    root = "ApiServer",
    plural = "apiservers",
    status = "ApiServerStatus",
    category = "calico",
    derive = "PartialEq",
    derive = "Default",
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].status",
        description = "True when the API server runs as configured; TigeraStatus says what does not."
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    doc = "APIServer serves Calico's own resources as `projectcalico.org/v3`, checked and converted, so that kubectl can be used on them: by an aggregated API server, or by admission webhooks where the cluster keeps these resources as CustomResourceDefinitions. The operator looks at the one named `default`; deleting it removes the server, not the resources."
)]
#[serde(rename_all = "camelCase")]
pub struct ApiServerSpec {
    /// Changes to the Deployment calico-apiserver. Go before `controlPlaneNodeSelector` and `controlPlaneTolerations` of the
    /// Installation.
    pub api_server_deployment: Option<ApiServerDeployment>,

    /// Changes to the Deployment calico-webhooks, which is there when Calico's resources are CustomResourceDefinitions of
    /// `projectcalico.org/v3`.
    pub calico_webhooks_deployment: Option<WebhooksDeployment>,

    /// Logs of the servers.
    pub logging: Option<ApiServerLogging>,
}

/// What the operator observed.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiServerStatus {
    /// The conditions Ready, Progressing and Degraded of the component. The TigeraStatus `apiserver` says the same.
    pub conditions: Option<Vec<Condition>>,

    /// `Ready` once everything runs as configured; absent before. The conditions say more.
    pub state: Option<String>,
}
