//! Kubernetes objects as the pipeline carries them: a typed key plus their JSON.
//!
//! Renderers build typed `k8s-openapi` structs; [`Object::new`] turns each into this form once, and everything behind
//! it (plugins, overrides, policies, apply) works on fields by path.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Why something is not a Kubernetes object.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The typed struct could not be turned into JSON.
    #[error("failed to serialise an object")]
    Serialise(#[source] serde_json::Error),
    /// A field that every object has is missing or empty.
    #[error("an object has no {field}")]
    Missing {
        /// Path of the field.
        field: &'static str,
    },
    /// The value is not a map.
    #[error("an object is a map, not a scalar or a list")]
    NotAMap,
}

/// Result of this module.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What names an object in a cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectKey {
    /// `v1`, `apps/v1`, …
    pub api_version: String,
    /// `DaemonSet`, …
    pub kind: String,
    /// Absent for cluster-scoped objects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// `metadata.name`.
    pub name: String,
}

impl ObjectKey {
    /// Names an object of a namespace.
    pub fn namespaced(api_version: &str, kind: &str, namespace: &str, name: &str) -> Self {
        Self { namespace: Some(namespace.into()), ..Self::cluster(api_version, kind, name) }
    }

    /// Names a cluster-scoped object.
    pub fn cluster(api_version: &str, kind: &str, name: &str) -> Self {
        Self { api_version: api_version.into(), kind: kind.into(), namespace: None, name: name.into() }
    }

    /// The API group, empty for the core group.
    pub fn group(&self) -> &str {
        self.api_version.split_once('/').map_or("", |(group, _)| group)
    }

    /// The version without its group.
    pub fn version(&self) -> &str {
        self.api_version.split_once('/').map_or(self.api_version.as_str(), |(_, version)| version)
    }
}

impl fmt::Display for ObjectKey {
    /// `DaemonSet calico-system/calico-node`, as messages name an object.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "{} {namespace}/{}", self.kind, self.name),
            None => write!(f, "{} {}", self.kind, self.name),
        }
    }
}

/// One Kubernetes object. Its key and its JSON agree, since both are only set together.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    key: ObjectKey,
    fields: Map<String, Value>,
}

impl Object {
    /// From a typed struct.
    ///
    /// # Errors
    /// If it does not serialise to a map with `apiVersion`, `kind` and `metadata.name`.
    pub fn new(typed: &impl Serialize) -> Result<Self> {
        Self::from_value(serde_json::to_value(typed).map_err(Error::Serialise)?)
    }

    /// From JSON that says its own kind and name.
    ///
    /// # Errors
    /// If it is no map, or has no `apiVersion`, `kind` or `metadata.name`.
    pub fn from_value(value: Value) -> Result<Self> {
        let Value::Object(fields) = value else { return Err(Error::NotAMap) };
        Ok(Self { key: key_of(&fields)?, fields })
    }

    /// What names it.
    pub fn key(&self) -> &ObjectKey {
        &self.key
    }

    /// Its fields.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    /// Its fields, for steps that leave its name and kind alone.
    pub(crate) fn fields_mut(&mut self) -> &mut Map<String, Value> {
        &mut self.fields
    }

    /// Takes out what a ConfigMap or Secret carries; [`Object::attach_data`] puts it back.
    pub(crate) fn detach_data(&mut self) -> Option<Value> {
        self.fields.remove("data")
    }

    /// Puts back what [`Object::detach_data`] took out.
    pub(crate) fn attach_data(&mut self, data: Option<Value>) {
        if let Some(data) = data {
            self.fields.insert("data".into(), data);
        }
    }

    /// The value at a JSON pointer (`/spec/template`).
    pub fn pointer(&self, pointer: &str) -> Option<&Value> {
        let (first, rest) = split_pointer(pointer)?;
        self.fields.get(first)?.pointer(rest)
    }

    /// The value at a JSON pointer, to change it. `apiVersion`, `kind` and `metadata` cannot be reached this way, so
    /// that the key stays true; see [`Object::edit_labels`] and [`Object::edit_annotations`].
    pub fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Value> {
        let (first, rest) = split_pointer(pointer)?;
        if matches!(first, "apiVersion" | "kind" | "metadata") {
            return None;
        }
        self.fields.get_mut(first)?.pointer_mut(rest)
    }

    /// Changes its labels; the map is made if absent.
    pub fn edit_labels(&mut self, edit: impl FnOnce(&mut Map<String, Value>)) {
        self.edit_metadata(|metadata| edit_map(metadata, "labels", edit));
    }

    /// Changes its annotations; the map is made if absent.
    pub fn edit_annotations(&mut self, edit: impl FnOnce(&mut Map<String, Value>)) {
        self.edit_metadata(|metadata| edit_map(metadata, "annotations", edit));
    }

    /// Sets its owner references.
    pub fn set_owner_references(&mut self, owners: Value) {
        self.edit_metadata(|metadata| {
            metadata.insert("ownerReferences".into(), owners);
        });
    }

    fn edit_metadata(&mut self, edit: impl FnOnce(&mut Map<String, Value>)) {
        edit_map(&mut self.fields, "metadata", edit);
    }

    /// The whole object as JSON.
    pub fn into_value(self) -> Value {
        Value::Object(self.fields)
    }

    /// The pod template of a workload (`DaemonSet`, `Deployment`, `StatefulSet`, `Job`), if it is one.
    pub fn pod_template(&self) -> Option<&Value> {
        is_workload(&self.key.kind).then(|| self.pointer("/spec/template")).flatten()
    }

    /// The pod template of a workload, to change it.
    pub fn pod_template_mut(&mut self) -> Option<&mut Value> {
        is_workload(&self.key.kind).then_some(())?;
        self.pointer_mut("/spec/template")
    }
}

/// Changes the map at `name`, made (or put in the place of what is no map) where needed; an empty one is not kept.
pub fn edit_map(map: &mut Map<String, Value>, name: &str, edit: impl FnOnce(&mut Map<String, Value>)) {
    let mut below = match map.remove(name) {
        Some(Value::Object(below)) => below,
        _ => Map::new(),
    };
    edit(&mut below);
    if !below.is_empty() {
        map.insert(name.into(), Value::Object(below));
    }
}

fn is_workload(kind: &str) -> bool {
    matches!(kind, "DaemonSet" | "Deployment" | "StatefulSet" | "Job")
}

fn split_pointer(pointer: &str) -> Option<(&str, &str)> {
    let pointer = pointer.strip_prefix('/')?;
    Some(match pointer.find('/') {
        Some(at) => pointer.split_at(at),
        None => (pointer, ""),
    })
}

fn key_of(fields: &Map<String, Value>) -> Result<ObjectKey> {
    let text = |value: Option<&Value>, field| match value.and_then(Value::as_str) {
        Some(text) if !text.is_empty() => Ok(text.to_owned()),
        _ => Err(Error::Missing { field }),
    };
    let metadata = fields.get("metadata");
    let namespace = metadata.and_then(|m| m.get("namespace")).and_then(Value::as_str);
    Ok(ObjectKey {
        api_version: text(fields.get("apiVersion"), "apiVersion")?,
        kind: text(fields.get("kind"), "kind")?,
        namespace: namespace.filter(|n| !n.is_empty()).map(Into::into),
        name: text(metadata.and_then(|m| m.get("name")), "metadata.name")?,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn daemon_set() -> Object {
        Object::from_value(json!({"apiVersion": "apps/v1", "kind": "DaemonSet",
            "metadata": {"name": "sheep", "namespace": "meadow"}, "spec": {"template": {"spec": {}}}}))
        .unwrap()
    }

    #[test]
    fn an_object_knows_what_names_it() {
        let object = daemon_set();
        assert_eq!(object.key(), &ObjectKey::namespaced("apps/v1", "DaemonSet", "meadow", "sheep"));
        assert_eq!(object.key().to_string(), "DaemonSet meadow/sheep");
        assert_eq!((object.key().group(), object.key().version()), ("apps", "v1"));
    }

    #[test]
    fn an_object_without_a_name_is_refused_naming_the_field() {
        let error = Object::from_value(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {}})).unwrap_err();
        assert_eq!(error.to_string(), "an object has no metadata.name");
    }

    #[test]
    fn metadata_cannot_be_changed_behind_the_key() {
        let mut object = daemon_set();
        assert!(object.pointer_mut("/metadata/name").is_none());
        assert!(object.pod_template_mut().is_some());
    }
}
