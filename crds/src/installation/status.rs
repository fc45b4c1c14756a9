//! `status` of the Installation: what runs, and what the operator chose.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use super::{InstallationSpec, Variant};

/// What the operator observed and chose.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstallationStatus {
    /// The variant that is installed. Together with `calicoVersion` it says exactly what runs.
    pub variant: Option<Variant>,

    /// The version that is installed.
    pub calico_version: Option<String>,

    /// The ImageSet that supplies the digests of images. Absent when none is used.
    pub image_set: Option<String>,

    /// Largest packet on pod interfaces, in bytes: the configured one, or what Calico found out.
    pub mtu: Option<i32>,

    /// The conditions Ready, Progressing and Degraded of the installation as a whole. TigeraStatus tells them apart by component.
    pub conditions: Option<Vec<Condition>>,

    /// What the operator chose where `spec` says nothing, in the shape of `spec` and with no field that `spec` sets. The operator reads
    /// its choices back from here, so that a default stays what it was when the cluster around it changes. Remove a field to have it
    /// chosen again.
    #[serde(default)]
    #[schemars(schema_with = "anything")]
    pub defaults: Option<BTreeMap<String, Value>>,

    /// What is in force: `spec` with every default filled in. Same fields as `spec`; nothing reads it back.
    pub computed: Option<Box<InstallationSpec>>,
}

/// An object of any shape: its shape is that of `spec`, which the operator checks itself.
fn anything(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
}
