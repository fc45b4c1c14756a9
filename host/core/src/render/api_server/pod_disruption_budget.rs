//! How many replicas of the API server may be taken down at once.

use k8s_openapi::api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetSpec};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::deployment;
use crate::names::API_SERVER;
use crate::render::meta;

/// The PodDisruptionBudget. A single replica may be taken down as well, or its node could never be drained.
pub(super) fn api_server() -> PodDisruptionBudget {
    PodDisruptionBudget {
        metadata: meta::calico_system(API_SERVER),
        spec: Some(PodDisruptionBudgetSpec {
            max_unavailable: Some(IntOrString::Int(1)),
            selector: Some(deployment::selector()),
            ..PodDisruptionBudgetSpec::default()
        }),
        ..PodDisruptionBudget::default()
    }
}
