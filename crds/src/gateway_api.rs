//! `GatewayAPI`: Kubernetes' Gateway API, served by Envoy Gateway.

pub mod class;
pub mod workloads;

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::ComponentStatus;
use crate::installation::Toggle;

pub use class::{GatewayClass, GatewayKind, GatewayService, GatewayServicePatch, GatewayServiceSpec};
pub use workloads::{
    CertgenContainer, ControllerContainer, GatewayCertgenJob, GatewayContainer, GatewayControllerDeployment,
    GatewayControllerDeploymentSpec, GatewayDaemonSet, GatewayDeployment, GatewayDeploymentSpec,
};

/// How gateways are served.
#[skip_serializing_none]
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "operator.tigera.io",
    version = "v1",
    kind = "GatewayAPI",
    root = "GatewayApi",
    plural = "gatewayapis",
    status = "ComponentStatus",
    shortname = "gwapi",
    category = "calico",
    derive = "PartialEq",
    derive = "Default",
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].status",
        description = "True when the gateway controller runs as configured; TigeraStatus says what does not."
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    doc = "GatewayAPI installs Envoy Gateway, which serves the Gateway API of Kubernetes: its CustomResourceDefinitions, the controller, and GatewayClasses to make Gateways of. The operator looks at the one named `default`; deleting it removes the controller and its classes."
)]
#[serde(rename_all = "camelCase")]
pub struct GatewayApiSpec {
    /// The GatewayClasses that Gateways can be made of. Default: one, named `tigera-gateway-class`, with nothing changed.
    pub gateway_classes: Option<Vec<GatewayClass>>,

    /// A ConfigMap that holds the controller's configuration, an EnvoyGateway, under the key `envoy-gateway.yaml`. The operator puts
    /// images, pull secrets and what else it needs into a copy. Default: the configuration that comes with Envoy Gateway.
    pub envoy_gateway_config_ref: Option<ObjectReference>,

    /// What to do with CustomResourceDefinitions of the Gateway API that are in the cluster already. Default: PreferExisting.
    pub crd_management: Option<CrdManagement>,

    /// Changes to the Deployment of the controller.
    pub gateway_controller_deployment: Option<GatewayControllerDeployment>,

    /// Changes to the Job that makes the controller's certificates.
    pub gateway_certgen_job: Option<GatewayCertgenJob>,

    /// What gateways can do beyond the Gateway API, in variants that have it. Each is off unless it is turned on here.
    pub extensions: Option<GatewayExtensions>,
}

/// One object of a kind that the field says.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectReference {
    /// Name of the object.
    pub name: String,

    /// Namespace of the object.
    pub namespace: String,
}

/// What to do with CustomResourceDefinitions of the Gateway API that are there already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum CrdManagement {
    /// Bring them to what the operator would install.
    Reconcile,
    /// Leave them as they are and create only those that are missing; that they suit Envoy Gateway is then yours to see to.
    #[default]
    PreferExisting,
}

/// What gateways can do beyond the Gateway API.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayExtensions {
    /// The web application firewall.
    pub waf: Option<WafExtension>,
}

/// The web application firewall.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WafExtension {
    /// Whether requests can be filtered by a web application firewall. Default: Disabled.
    pub state: Option<Toggle>,
}
