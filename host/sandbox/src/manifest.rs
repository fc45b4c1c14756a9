//! `plugin.yaml`: how an administrator declares a plugin.

use std::collections::BTreeSet;

use chimera_core::yaml::{self, in_words};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::grants::Capability;
use crate::limits::Limits;

/// Why a declaration cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It is no YAML.
    #[error("it is not valid YAML: {0}")]
    Yaml(String),
    /// A field holds what it cannot hold, or does not exist.
    #[error("field {field}: {why}")]
    Field {
        /// Path of the field.
        field: String,
        /// What is wrong.
        why: String,
    },
}

/// Where the bytes are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// Beside the declaration: `plugin.wasm` in the ConfigMap, NAME.wasm in the directory.
    #[default]
    Inline,
    /// In an OCI registry. What else is said of it is not looked at, since no build can do it yet.
    Oci,
}

impl<'de> Deserialize<'de> for Source {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) if text == "inline" => Ok(Self::Inline),
            Value::String(text) if text == "oci" => Ok(Self::Oci),
            Value::Object(map) if map.contains_key("oci") => Ok(Self::Oci),
            _ => Err(D::Error::custom("give `inline`, or leave the field out: the bytes are beside the declaration")),
        }
    }
}

/// What happens if the plugin fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum FailurePolicy {
    /// The component stays as it was last applied.
    #[default]
    Freeze,
    /// The component goes on without the plugin; for cosmetic changes only.
    Ignore,
}

/// A declaration.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Manifest {
    /// Where the bytes are.
    pub source: Source,
    /// How the bytes are verified.
    #[serde(deserialize_with = "whatever")]
    pub verification: Option<Value>,
    /// Capabilities that the plugin is granted.
    pub grants: BTreeSet<Capability>,
    /// Limits of a call.
    pub limits: Limits,
    /// Order within the phase: higher runs earlier. None: the plugin's own.
    pub priority: Option<i32>,
    /// What happens if it fails.
    pub failure_policy: FailurePolicy,
    /// Settings, given to the plugin as they are.
    pub settings: Map<String, Value>,
}

impl Manifest {
    /// Reads YAML (or JSON).
    ///
    /// # Errors
    /// If it is no YAML, or a field is unknown or wrong; names the field.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let value: Value = serde_saphyr::from_str(text).map_err(|error| Error::Yaml(yaml::problem(&error)))?;
        serde_path_to_error::deserialize(value).map_err(|error| Error::Field {
            field: error.path().to_string(),
            why: in_words(&error.inner().to_string()),
        })
    }
}

/// Even nothing is something: who writes the field wants the bytes verified.
fn whatever<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_declaration_has_all_defaults() {
        assert_eq!(Manifest::parse("").unwrap(), Manifest::default());
        assert_eq!(Manifest::parse("source: inline").unwrap(), Manifest::default());
    }

    #[test]
    fn a_full_declaration_is_read() {
        let manifest = Manifest::parse(
            "source: {oci: {reference: 'registry.example/plugins/labels:1.0'}}\ngrants: [rbac, host-path]\n\
             limits: {memory: 128Mi, fuel: 5}\npriority: -3\nfailurePolicy: Ignore\nsettings: {labels: {team: sheep}}",
        )
        .unwrap();
        assert_eq!(manifest.source, Source::Oci);
        assert_eq!(manifest.grants, BTreeSet::from([Capability::Rbac, Capability::HostPath]));
        assert_eq!((manifest.limits.memory, manifest.limits.fuel, manifest.priority), (128 << 20, 5, Some(-3)));
        assert_eq!(manifest.failure_policy, FailurePolicy::Ignore);
        assert_eq!(manifest.settings.get("labels").unwrap(), &serde_json::json!({"team": "sheep"}));
    }

    #[test]
    fn a_wrong_field_is_named() {
        for (text, field) in [
            ("limits: {memory: lots}", "limits.memory"),
            ("grants: [root]", "grants[0]"),
            ("failurePolicy: Maybe", "failurePolicy"),
            ("setings: {}", "setings"),
            ("source: elsewhere", "source"),
            ("priority: high", "priority"),
            ("source: nowhere", "source"),
            ("settings: [", "line "),
        ] {
            let error = Manifest::parse(text).unwrap_err().to_string();
            assert!(error.contains(field), "{text}: {error}");
            assert_eq!(chimera_core::testing::internals(&error), None, "{text}: {error}");
        }
    }
}
