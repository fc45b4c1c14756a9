//! What a user may change in a PodDisruptionBudget.

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::Metadata;

/// Changes to a PodDisruptionBudget.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodDisruptionBudget {
    /// Labels and annotations to add to the PodDisruptionBudget.
    pub metadata: Option<Metadata>,

    /// How much disruption is allowed. The selector stays the operator's.
    pub spec: Option<PodDisruptionBudgetSpec>,
}

/// How much disruption is allowed.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "!(has(self.minAvailable) && has(self.maxUnavailable))",
    "message": "minAvailable and maxUnavailable exclude each other: keep one"
}]))]
pub struct PodDisruptionBudgetSpec {
    /// How many pods, or what percentage, may be missing at a time. Not together with `minAvailable`. Default: 1.
    pub max_unavailable: Option<IntOrString>,

    /// How many pods, or what percentage, must stay. Not together with `maxUnavailable`. Default: unset.
    pub min_available: Option<IntOrString>,

    /// When pods that are not ready may be evicted. Default: IfHealthyBudget.
    pub unhealthy_pod_eviction_policy: Option<UnhealthyPodEvictionPolicy>,
}

/// When pods that are not ready may be evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum UnhealthyPodEvictionPolicy {
    /// Only while the budget is met.
    IfHealthyBudget,
    /// Always.
    AlwaysAllow,
}

impl UnhealthyPodEvictionPolicy {
    /// The word that stands in a PodDisruptionBudget.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::IfHealthyBudget => "IfHealthyBudget",
            Self::AlwaysAllow => "AlwaysAllow",
        }
    }
}
