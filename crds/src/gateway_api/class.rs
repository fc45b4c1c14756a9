//! GatewayClasses, and the Services in front of their gateways.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use super::ObjectReference;
use super::workloads::{GatewayDaemonSet, GatewayDeployment};
use crate::installation::overrides::Metadata;

/// One GatewayClass, and how its gateways run.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayClass {
    /// Name of the GatewayClass.
    pub name: String,

    /// An EnvoyProxy to start from. The operator puts images, pull secrets and the changes below into a copy, which the GatewayClass
    /// then refers to. Default: an empty one.
    pub envoy_proxy_ref: Option<ObjectReference>,

    /// As what gateways run. It is an error to contradict the EnvoyProxy in `envoyProxyRef`. Default: what that one says, else
    /// Deployment.
    pub gateway_kind: Option<GatewayKind>,

    /// Changes to gateways that run as Deployments.
    pub gateway_deployment: Option<GatewayDeployment>,

    /// Changes to gateways that run as DaemonSets.
    pub gateway_daemon_set: Option<GatewayDaemonSet>,

    /// Changes to the Services in front of gateways.
    pub gateway_service: Option<GatewayService>,
}

/// As what gateways run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum GatewayKind {
    /// A number of replicas.
    #[default]
    Deployment,
    /// One on each node.
    DaemonSet,
}

/// Changes to the Services in front of gateways.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayService {
    /// Labels and annotations to add to the Services. Load balancers of clouds are mostly configured by annotations.
    pub metadata: Option<Metadata>,

    /// Changes to the Services' specification. What they mean is said by the fields of the same names in a Service.
    pub spec: Option<GatewayServiceSpec>,
}

/// Changes to the Services' specification.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayServiceSpec {
    /// The implementation of load balancers to use. Default: the cluster's.
    pub load_balancer_class: Option<String>,

    /// Whether each port of a load balancer also gets a node port. Default: true.
    pub allocate_load_balancer_node_ports: Option<bool>,

    /// Ranges, in CIDR notation, from which clients may connect, where the load balancer can tell. Default: all.
    pub load_balancer_source_ranges: Option<Vec<String>>,

    /// Address that the load balancer should have, where it can be chosen. Default: any.
    #[serde(rename = "loadBalancerIP")]
    pub load_balancer_ip: Option<String>,

    /// Anything else, as a patch of the Service.
    pub patch: Option<GatewayServicePatch>,
}

/// A patch of a Service.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayServicePatch {
    /// How the patch is merged into the Service. Default: StrategicMerge.
    #[serde(rename = "type")]
    pub type_: Option<GatewayServicePatchType>,

    /// The patch, in the shape of a Service, such as `spec: {healthCheckNodePort: 32000}`.
    #[schemars(schema_with = "anything")]
    pub value: Value,
}

/// How a patch is merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum GatewayServicePatchType {
    /// As `kubectl patch` does by default: entries of lists are found by their names.
    #[default]
    StrategicMerge,
    /// As RFC 7386 says: a list takes the place of a list.
    #[serde(rename = "JSONMerge")]
    JsonMerge,
}

/// A value that Envoy Gateway checks.
fn anything(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "x-kubernetes-preserve-unknown-fields": true })
}
