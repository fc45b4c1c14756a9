//! How many Typhas may be taken down at once.

use std::collections::BTreeMap;

use k8s_openapi::api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::names::{APP_LABEL, TYPHA};
use crate::render::meta;

/// The PodDisruptionBudget.
pub(super) fn typha() -> PodDisruptionBudget {
    PodDisruptionBudget {
        metadata: meta::calico_system(TYPHA),
        spec: Some(PodDisruptionBudgetSpec {
            max_unavailable: Some(IntOrString::Int(1)),
            selector: Some(LabelSelector {
                match_labels: Some(BTreeMap::from([(APP_LABEL.into(), TYPHA.into())])),
                ..LabelSelector::default()
            }),
            ..PodDisruptionBudgetSpec::default()
        }),
        ..PodDisruptionBudget::default()
    }
}
