//! Brings what variables said into FelixConfiguration, before any node moves.

use serde_json::{Map, Value, json};

use crate::installation::config::ApiGroup;
use crate::object::{Object, edit_map};

/// The FelixConfiguration as it will be once the fields are in it, to work out everything else from; none without fields.
pub(crate) fn with_felix(
    fields: &Map<String, Value>,
    existing: Option<&Object>,
    api_group: ApiGroup,
) -> Option<Object> {
    if fields.is_empty() {
        return None;
    }
    let mut object = match existing {
        Some(object) => object.clone(),
        None => Object::from_value(json!({
            "apiVersion": api_group.api_version(), "kind": "FelixConfiguration", "metadata": {"name": "default"},
        }))
        .ok()?,
    };
    edit_map(object.fields_mut(), "spec", |spec| fill(spec, fields));
    Some(object)
}

/// What is to be written: the fields that the resource lacks; none if it has them all.
///
/// They are written in the name of somebody else than the operator, since they are the user's choice and stay.
pub fn missing_felix(fields: &Map<String, Value>, existing: Option<&Object>, api_group: ApiGroup) -> Option<Object> {
    let there = |name: &str| existing.is_some_and(|object| object.pointer(&format!("/spec/{name}")).is_some());
    let missing = fields.iter().filter(|(name, _)| !there(name));
    let missing: Map<_, _> = missing.map(|(name, value)| (name.clone(), value.clone())).collect();
    with_felix(&missing, None, api_group)
}

fn fill(spec: &mut Map<String, Value>, fields: &Map<String, Value>) {
    for (name, value) in fields {
        spec.entry(name).or_insert_with(|| value.clone());
    }
}
