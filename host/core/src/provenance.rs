//! Where each field of an object comes from.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::object::{Object, ObjectKey};

/// Who set a field. What is not recorded was set by the core.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase", tag = "origin")]
pub enum Origin {
    /// A plugin.
    #[serde(rename_all = "camelCase")]
    Plugin {
        /// Its name.
        name: String,
        /// `sha256:…` of its bytes.
        digest: String,
    },
    /// An override field of the user's resource.
    #[serde(rename_all = "camelCase")]
    Override {
        /// Path of the override in the resource.
        field: String,
    },
    /// A policy laid on every workload.
    Policy,
}

/// Origins by object, then by JSON pointer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Provenance(BTreeMap<String, BTreeMap<String, Origin>>);

impl Provenance {
    /// Records everything that differs between `before` (absent: the object is new) and `after`.
    pub fn record(&mut self, before: Option<&Object>, after: &Object, origin: &Origin) {
        let mut changed = Vec::new();
        in_map(before.map(Object::fields), after.fields(), "", &mut changed);
        if changed.is_empty() {
            return;
        }
        let fields = self.0.entry(after.key().to_string()).or_default();
        fields.extend(changed.into_iter().map(|pointer| (pointer, origin.clone())));
    }

    /// Origins of one object's fields, by JSON pointer.
    pub fn of(&self, key: &ObjectKey) -> Option<&BTreeMap<String, Origin>> {
        self.0.get(&key.to_string())
    }

    /// All origins: object (`Kind namespace/name`), then JSON pointer.
    pub fn all(&self) -> &BTreeMap<String, BTreeMap<String, Origin>> {
        &self.0
    }

    /// Takes over what another record holds.
    pub fn merge(&mut self, other: Self) {
        for (object, fields) in other.0 {
            self.0.entry(object).or_default().extend(fields);
        }
    }
}

/// Pointers of leaves in `new` that `old` lacks or has otherwise, and of fields that `new` no longer has.
pub fn differences(old: Option<&Value>, new: &Value, at: String, out: &mut Vec<String>) {
    match (old, new) {
        (Some(old), new) if old == new => {}
        (old, Value::Object(map)) if !map.is_empty() => in_map(old.and_then(Value::as_object), map, &at, out),
        (old, Value::Array(items)) if !items.is_empty() => {
            for (index, value) in items.iter().enumerate() {
                differences(old.and_then(|old| old.get(index)), value, format!("{at}/{index}"), out);
            }
            let before = old.and_then(Value::as_array).map_or(0, Vec::len);
            out.extend((items.len()..before).map(|index| format!("{at}/{index}")));
        }
        _ => out.push(at),
    }
}

fn in_map(old: Option<&Map<String, Value>>, new: &Map<String, Value>, at: &str, out: &mut Vec<String>) {
    let below = |name: &str| format!("{at}/{}", escape(name));
    for (name, value) in new {
        let before = old.and_then(|old| old.get(name));
        if before != Some(value) {
            differences(before, value, below(name), out);
        }
    }
    let gone = old.into_iter().flatten().filter(|(name, _)| !new.contains_key(*name));
    out.extend(gone.map(|(name, _)| below(name)));
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
