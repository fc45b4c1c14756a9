//! Changes to a generated schema, by path. `crds/projectcalico/amendments.yaml` says what they mean.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// All amendments, by API group and plural name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Amendments {
    pub(crate) both: BTreeMap<String, Amendment>,
    pub(crate) v1: BTreeMap<String, Amendment>,
}

/// The changes to one CRD.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Amendment {
    annotations: BTreeMap<String, String>,
    keep: BTreeMap<String, Vec<String>>,
    remove: Vec<String>,
    set: BTreeMap<String, Map<String, Value>>,
    rules: BTreeMap<String, Vec<Value>>,
}

impl Amendment {
    /// Applies the changes. A path that leads nowhere is an error, so that no amendment outlives its cause.
    pub(crate) fn apply(&self, crd: &mut Value) -> Result<()> {
        if !self.annotations.is_empty() {
            merge(crd, json!({ "metadata": { "annotations": self.annotations } }));
        }
        let schema = crd.pointer_mut("/spec/versions/0/schema/openAPIV3Schema").context("failed to find the schema")?;
        for (path, names) in &self.keep {
            let properties = find(schema, path)?
                .get_mut("properties")
                .and_then(Value::as_object_mut)
                .with_context(|| nothing(path))?;
            properties.retain(|name, _| names.contains(name));
        }
        for path in &self.remove {
            let (parent, name) = path.rsplit_once('.').unwrap_or((".", path));
            let properties = find(schema, parent)?.get_mut("properties").and_then(Value::as_object_mut);
            properties.and_then(|properties| properties.remove(name)).with_context(|| nothing(path))?;
        }
        for (path, keywords) in &self.set {
            merge(find_or_insert(schema, path)?, Value::Object(keywords.clone()));
        }
        for (path, rules) in &self.rules {
            let schema = find(schema, path)?.as_object_mut().with_context(|| nothing(path))?;
            let list = schema.entry("x-kubernetes-validations").or_insert_with(|| json!([]));
            list.as_array_mut().with_context(|| nothing(path))?.extend(rules.iter().cloned());
        }
        Ok(())
    }
}

/// Merges objects key by key; anything else is replaced, and null removes.
pub(crate) fn merge(target: &mut Value, patch: Value) {
    let (Value::Object(target), Value::Object(patch)) = (&mut *target, &patch) else {
        *target = patch;
        return;
    };
    for (key, value) in patch {
        if value.is_null() {
            target.remove(key);
        } else {
            merge(target.entry(key).or_insert_with(|| json!({})), value.clone());
        }
    }
}

/// The schema at a path.
fn find<'a>(schema: &'a mut Value, path: &str) -> Result<&'a mut Value> {
    schema.pointer_mut(&pointer(path)).with_context(|| nothing(path))
}

/// The schema at a path, whose last field may be new.
fn find_or_insert<'a>(schema: &'a mut Value, path: &str) -> Result<&'a mut Value> {
    let pointer = pointer(path);
    if schema.pointer(&pointer).is_none() {
        let (parent, name) = pointer.rsplit_once('/').with_context(|| nothing(path))?;
        let parent = schema.pointer_mut(parent).and_then(Value::as_object_mut).with_context(|| nothing(path))?;
        parent.insert(name.to_owned(), json!({}));
    }
    schema.pointer_mut(&pointer).with_context(|| nothing(path))
}

/// A path as a JSON pointer into the schema.
fn pointer(path: &str) -> String {
    let fields = path.split('.').filter(|field| !field.is_empty());
    fields.map(|field| format!("/properties/{}", field.replace("[]", "/items"))).collect()
}

fn nothing(path: &str) -> String {
    format!("nothing to amend at {path}: the pinned types have changed")
}
