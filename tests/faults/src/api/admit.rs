//! What the server makes of an object before it stores it: defaults, and fields that may not change.

use chimera_core::defaulting;
use chimera_core::object::Object;
use serde_json::{Value, json};

use super::call::Call;
use super::kinds::Kind;
use super::status::Refusal;
use super::store::Store;

/// Fills in the server's defaults.
pub(super) fn defaults(store: &Store, kind: &Kind, object: Value) -> Value {
    let object = if kind.custom { object } else { built_in(object) };
    match kind.kind.as_str() {
        "Service" => service(store, object),
        _ => object,
    }
}

fn built_in(value: Value) -> Value {
    match Object::from_value(value.clone()) {
        Ok(mut object) => {
            defaulting::default(&mut object);
            Value::Object(object.fields().clone())
        }
        Err(_) => value,
    }
}

/// An address of the cluster, and its families.
fn service(store: &Store, mut object: Value) -> Value {
    let spec = &mut object["spec"];
    if spec["type"] == "ExternalName" {
        return object;
    }
    if spec["clusterIP"].as_str().is_none_or(str::is_empty) {
        spec["clusterIP"] = format!("10.96.{}.{}", store.version() / 250 % 250, store.version() % 250 + 2).into();
    }
    if spec["clusterIPs"].is_null() {
        spec["clusterIPs"] = json!([spec["clusterIP"]]);
    }
    for (name, value) in [("ipFamilies", json!(["IPv4"])), ("ipFamilyPolicy", json!("SingleStack"))] {
        if spec[name].is_null() {
            spec[name] = value;
        }
    }
    object
}

/// Fields that may not change, by kind.
const IMMUTABLE: [(&str, &str); 7] = [
    ("RoleBinding", "/roleRef"),
    ("ClusterRoleBinding", "/roleRef"),
    ("DaemonSet", "/spec/selector"),
    ("Deployment", "/spec/selector"),
    ("Secret", "/type"),
    ("Job", "/spec/template"),
    ("Service", "/spec/clusterIP"),
];

/// Refuses a change of what may not change.
pub(super) fn unchanged(call: &Call, old: &Value, new: &Value) -> Result<(), Refusal> {
    let kind = call.kind_name();
    for (_, pointer) in IMMUTABLE.iter().filter(|(of, _)| *of == kind) {
        if old.pointer(pointer) != new.pointer(pointer) {
            let field = pointer.trim_start_matches('/').replace('/', ".");
            return Err(Refusal::invalid(call, &field, "field is immutable"));
        }
    }
    Ok(())
}
