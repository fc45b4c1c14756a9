//! `Istio`: Istio's ambient mesh beside Calico.

mod dscp;

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Affinity, ResourceRequirements, Toleration};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::ComponentStatus;
use crate::installation::Toggle;
use crate::installation::overrides::{PodsOnly, SpecOnly};

/// Changes to one workload of Istio.
pub type IstioWorkload = PodsOnly<SpecOnly<IstioPodSpec>>;

/// How Istio is installed.
#[skip_serializing_none]
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "operator.tigera.io",
    version = "v1",
    kind = "Istio",
    plural = "istios",
    status = "ComponentStatus",
    category = "calico",
    derive = "PartialEq",
    derive = "Default",
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].status",
        description = "True when Istio runs as configured; TigeraStatus says what does not."
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    doc = "Istio installs Istio's ambient mesh, set up so that Calico's policies keep seeing who talks to whom: istiod, the CNI agent and ztunnel. The operator looks at the one named `default`; deleting it removes the mesh."
)]
#[serde(rename_all = "camelCase")]
pub struct IstioSpec {
    /// Changes to istiod, the control plane, which is a Deployment.
    pub istiod: Option<IstioWorkload>,

    /// Changes to Istio's CNI agent, a DaemonSet that leads the traffic of pods into the mesh.
    #[serde(rename = "istioCNI")]
    pub istio_cni: Option<IstioWorkload>,

    /// Changes to ztunnel, a DaemonSet that carries the mesh's traffic from node to node.
    pub ztunnel: Option<IstioWorkload>,

    /// The DSCP mark by which Calico and Istio's CNI agent know the mesh's own packets from others: a number from 0 to 63, or a name
    /// such as `AF11`, `CS3` or `EF`. Nothing else in the cluster may use it. Default: 23.
    #[serde(default)]
    #[schemars(schema_with = "dscp::schema")]
    pub dscp_mark: Option<IntOrString>,

    /// Whether every waypoint proxy gets a sidecar that logs requests, in variants that have it. Default: Enabled.
    pub waypoint_logging: Option<Toggle>,
}

/// Changes to the pods of one workload.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IstioPodSpec {
    /// Affinity, instead of the one that the chart sets.
    pub affinity: Option<Affinity>,

    /// Node labels that are required, instead of those that the chart sets.
    pub node_selector: Option<BTreeMap<String, String>>,

    /// Requests and limits of the workload's main container, instead of those that the chart sets.
    pub resources: Option<ResourceRequirements>,

    /// Tolerations, instead of those that the chart sets.
    pub tolerations: Option<Vec<Toleration>>,
}
