//! Standard labels of objects and of pod templates, and the selector of a workload that has none.

use serde_json::{Map, Value, json};

use super::owner::Owner;
use super::pod_place;
use crate::object::{Object, edit_map};

/// Label that marks an object as the operator's.
pub const MANAGED_BY_LABEL: &str = "app.kubernetes.io/managed-by";
/// Its value.
pub const MANAGED_BY_VALUE: &str = "tigera-operator";
/// Label of pods in the host's network.
pub const HOST_NETWORKED_LABEL: &str = "operator.tigera.io/host-networked";

const APP_LABEL: &str = "k8s-app";
const NAME_LABEL: &str = "app.kubernetes.io/name";
/// The API server takes no longer value of a label.
const LONGEST_VALUE: usize = 63;

pub(super) fn lay_on(object: &mut Object, owner: &Owner) {
    let name = label_value(&object.key().name);
    object.edit_labels(|labels| standard(labels, &name, owner));
    let Some(place) = pod_place(object) else { return };
    select(object, &name);
    let Some(Value::Object(parent)) = object.pointer_mut(place.parent) else { return };
    edit_map(parent, place.metadata, |metadata| {
        edit_map(metadata, "labels", |labels| standard(labels, &name, owner));
    });
}

/// The application's name is the object's, unless the renderer named another application.
fn standard(labels: &mut Map<String, Value>, name: &str, owner: &Owner) {
    let app = labels.get(APP_LABEL).and_then(Value::as_str).unwrap_or(name).to_owned();
    let values = [
        (APP_LABEL, app.clone()),
        (NAME_LABEL, app),
        ("app.kubernetes.io/component", owner.label()),
        ("app.kubernetes.io/instance", label_value(&owner.name)),
        (MANAGED_BY_LABEL, MANAGED_BY_VALUE.to_owned()),
        ("app.kubernetes.io/part-of", "Calico".to_owned()),
    ];
    for (label, value) in values {
        labels.entry(label).or_insert(Value::String(value));
    }
}

/// Workloads of `apps` need a selector; a Job gets its own from the API server.
fn select(object: &mut Object, name: &str) {
    if object.key().group() != "apps" {
        return;
    }
    let Some(Value::Object(spec)) = object.pointer_mut("/spec") else { return };
    // Typed structs cannot leave it out; an empty one would be refused by the API server.
    let unset = |selector: &Value| selector.as_object().is_some_and(Map::is_empty);
    if spec.get("selector").is_none_or(unset) {
        spec.insert("selector".into(), json!({"matchLabels": {APP_LABEL: name}}));
    }
}

/// The nearest text that is valid as a label's value: `calico-node:csr-creator` becomes `calico-node_csr-creator`.
pub(super) fn label_value(name: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let value: String = name.chars().take(LONGEST_VALUE).map(allowed).collect();
    value.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_owned()
}
