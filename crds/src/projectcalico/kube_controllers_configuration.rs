//! `KubeControllersConfiguration`: how calico-kube-controllers behaves. The operator shares it with its users.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::object::{Other, kinds};

kinds! {
    /// How calico-kube-controllers behaves; there is one, named `default`.
    KubeControllersConfiguration = KubeControllersConfigurationSpec,
}

/// The settings that the operator reads or writes.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KubeControllersConfigurationSpec {
    /// The least severe messages that are logged.
    pub log_severity_screen: Option<String>,

    /// Whether health checks are served.
    pub health_checks: Option<String>,

    /// TCP port of Prometheus metrics; 0 turns them off.
    pub prometheus_metrics_port: Option<i32>,

    /// Settings by controller; a controller that is not listed is off.
    #[serde(default)]
    pub controllers: Other,

    /// Fields that the operator does not know.
    #[serde(flatten)]
    pub other: Other,
}
