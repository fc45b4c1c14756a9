//! The `status` that the resources of single components share.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// What the operator observed.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentStatus {
    /// The conditions Ready, Progressing and Degraded of the component. The TigeraStatus of the component says the same.
    pub conditions: Option<Vec<Condition>>,
}
