//! `TigeraStatus`: the health of one component, as the operator sees it.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// Nothing is asked for: the operator alone writes this resource.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "operator.tigera.io",
    version = "v1",
    kind = "TigeraStatus",
    plural = "tigerastatuses",
    status = "TigeraStatusStatus",
    shortname = "ts",
    category = "calico",
    derive = "PartialEq",
    printcolumn(
        name = "Available",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Available')].status",
        description = "True when the component runs as configured."
    ),
    printcolumn(
        name = "Progressing",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Progressing')].status",
        description = "True while a change is being rolled out."
    ),
    printcolumn(
        name = "Degraded",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Degraded')].status",
        description = "True when something needs an administrator."
    ),
    printcolumn(
        name = "Since",
        type_ = "date",
        json_path = ".status.conditions[?(@.type=='Available')].lastTransitionTime",
        description = "How long Available has had its present value."
    ),
    printcolumn(
        name = "Message",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Degraded')].message",
        description = "What is wrong, where, and what to do."
    ),
    doc = "TigeraStatus reports the health of one component that the operator runs. The operator creates, updates and deletes it; there is nothing to configure."
)]
pub struct TigeraStatusSpec {}

/// What the operator observed.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TigeraStatusStatus {
    /// The conditions Available, Progressing and Degraded. A component is healthy when Available is True and the other two are False.
    pub conditions: Vec<TigeraStatusCondition>,
}

/// One aspect of a component's health.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TigeraStatusCondition {
    /// Which aspect this is: Available, Progressing or Degraded.
    #[serde(rename = "type")]
    pub type_: String,

    /// Whether the condition holds.
    pub status: ConditionStatus,

    /// When `status` last changed.
    pub last_transition_time: Time,

    /// Why, as one PascalCase word that scripts may rely on.
    pub reason: Option<String>,

    /// Why, in a sentence for people: what is wrong, in which resource and field, and what to do.
    pub message: Option<String>,

    /// The `metadata.generation` of the configuring resource that this condition is about. A lower number than that resource has now
    /// means that the operator has not yet seen the latest change.
    pub observed_generation: Option<i64>,
}

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum ConditionStatus {
    /// The condition holds.
    True,
    /// The condition does not hold.
    False,
    /// The operator could not find out.
    Unknown,
}

impl ConditionStatus {
    /// The word that stands in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

impl From<bool> for ConditionStatus {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}
