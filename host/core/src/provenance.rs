//! Where each field of an object comes from.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

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

/// As messages give it: `plugin labels`, `override spec.calicoNodeDaemonSet`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plugin { name, digest: _ } => write!(f, "plugin {name}"),
            Self::Override { field } => write!(f, "override {field}"),
            Self::Policy => f.write_str("the operator's policy"),
        }
    }
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

    /// Who set a field of an object, something in it or what it is in. The field is as the API server names it
    /// (`spec.a[0].b`).
    pub fn setters(&self, key: &ObjectKey, field: &str) -> BTreeSet<&Origin> {
        let field = pointer(field);
        let within = |outer: &str, inner: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
        let touches = |set: &str| set == field || within(set, &field) || within(&field, set);
        // A fault of the object as a whole is nobody's in particular.
        let fields = self.of(key).filter(|_| !field.is_empty()).into_iter().flatten();
        fields.filter(|(set, _)| touches(set)).map(|(_, origin)| origin).collect()
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

/// The JSON pointer of a field such as `spec.a[0].b` or `metadata.labels[example.com/a]`.
fn pointer(field: &str) -> String {
    let mut pointer = String::new();
    let mut rest = field;
    while !rest.is_empty() {
        let bracketed = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let (name, after) = bracketed.unwrap_or_else(|| rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len())));
        pointer = format!("{pointer}/{}", escape(name));
        // A bracket that is never closed is part of a name.
        rest = if bracketed.is_none() && name.is_empty() { "" } else { after.strip_prefix('.').unwrap_or(after) };
    }
    pointer
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn who_set_a_field_is_found_by_the_api_servers_name_of_it() {
        let object = |labels: Value| {
            Object::new(&json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "sheep", "labels": labels},
                "spec": {"tolerations": [{"operator": "Sometimes"}]}}))
            .unwrap()
        };
        let (before, after) = (object(json!({})), object(json!({"a b/c": "d"})));
        let plugin = Origin::Plugin { name: "shears".into(), digest: String::new() };
        let mut provenance = Provenance::default();
        provenance.record(Some(&before), &after, &plugin);
        for field in ["metadata.labels", "metadata", "metadata.labels[a b/c]"] {
            assert_eq!(provenance.setters(after.key(), field), BTreeSet::from([&plugin]), "{field}");
        }
        for field in ["metadata.label", "spec.tolerations[0].operator", "", "[", "a..b"] {
            assert!(provenance.setters(after.key(), field).is_empty(), "{field}");
        }
        provenance.record(None, &after, &plugin);
        assert_eq!(provenance.setters(after.key(), "spec.tolerations[0].operator").len(), 1);
    }
}
