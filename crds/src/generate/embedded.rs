//! The Kubernetes types that our resources embed: without descriptions, and with what the plain OpenAPI schema leaves out, so that an API
//! server validates and merges them as it does in its own resources.

use serde_json::{Map, Value, json};

use super::describe;

/// What a quantity looks like.
const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";
/// A condition's reason.
const REASON: &str = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$";
/// A condition's type.
const CONDITION_TYPE: &str =
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$";

/// Prepares every definition of a Kubernetes type.
pub(super) fn prepare_all(root: &mut Value) {
    let Some(definitions) = root.pointer_mut("/components/schemas").and_then(Value::as_object_mut) else { return };
    for (name, schema) in definitions.iter_mut().filter(|(name, _)| name.starts_with("io.k8s.")) {
        describe::strip(schema);
        mark_lists(schema);
        let short = name.rsplit('.').next().unwrap_or_default();
        merge(schema, additions(short));
    }
}

/// Lists are replaced as a whole, unless an addition says otherwise.
fn mark_lists(schema: &mut Value) {
    let properties = schema.pointer_mut("/properties").and_then(Value::as_object_mut);
    let lists = properties.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut);
    for list in lists.filter(|schema| schema.contains_key("items")) {
        list.insert("x-kubernetes-list-type".to_owned(), "atomic".into());
    }
}

/// What a type has beyond its plain schema.
fn additions(name: &str) -> Value {
    let int_or_string = json!([{ "type": "integer" }, { "type": "string" }]);
    match name {
        "Quantity" => json!({ "anyOf": int_or_string, "pattern": QUANTITY }),
        "IntOrString" => json!({ "anyOf": int_or_string }),
        "LabelSelector" | "NodeSelector" | "NodeSelectorTerm" => json!({ "x-kubernetes-map-type": "atomic" }),
        "LocalObjectReference" => {
            json!({ "x-kubernetes-map-type": "atomic", "required": null, "properties": { "name": { "default": "" } } })
        }
        "ResourceRequirements" => json!({ "properties": { "claims": {
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
        } } }),
        "Condition" => json!({ "properties": {
            "message": { "maxLength": 32768 },
            "observedGeneration": { "minimum": 0 },
            "reason": { "minLength": 1, "maxLength": 1024, "pattern": REASON },
            "status": { "enum": ["True", "False", "Unknown"] },
            "type": { "maxLength": 316, "pattern": CONDITION_TYPE },
        } }),
        _ => json!({}),
    }
}

/// Merges objects key by key; anything else is replaced, and null removes.
fn merge(target: &mut Value, addition: Value) {
    match (target, addition) {
        (Value::Object(target), Value::Object(addition)) => {
            for (key, value) in addition {
                if value.is_null() {
                    target.remove(&key);
                } else {
                    merge(target.entry(key).or_insert(Value::Null), value);
                }
            }
        }
        (target, addition) => *target = addition,
    }
}
