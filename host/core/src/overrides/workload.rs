//! Lays an override over a workload: both have the same shape, so it goes field by field.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::object::{Object, edit_map};

/// Says which fields of containers are the user's.
const CUSTOM_OVERRIDES: &str = "operator.tigera.io/custom-overrides";
/// Former names of containers, and their names.
const RENAMED: [(&str, &str); 2] = [("mount-bpffs", "ebpf-bootstrap"), ("calico-node-windows", "node")];

/// Labels that selectors and the operator go by; what the user says of them is not taken.
const RESERVED: [&str; 8] = [
    "k8s-app",
    "app.kubernetes.io/component",
    "app.kubernetes.io/instance",
    "app.kubernetes.io/managed-by",
    "app.kubernetes.io/name",
    "app.kubernetes.io/part-of",
    "kubernetes.io/os",
    "operator.tigera.io/host-networked",
];

/// Lays the override over the object.
pub(super) fn lay_on(object: &mut Object, wanted: &Value) {
    object.edit_labels(|labels| add(labels, wanted.pointer("/metadata/labels")));
    object.edit_annotations(|annotations| add(annotations, wanted.pointer("/metadata/annotations")));
    let Some(Value::Object(wanted)) = wanted.get("spec") else { return };
    for (name, value) in wanted.iter().filter(|(name, _)| *name != "template") {
        if let Some(Value::Object(spec)) = object.pointer_mut("/spec") {
            exclude(spec, name);
            lay(spec, name, value);
        }
    }
    let Some(wanted) = wanted.get("template") else { return };
    let touched = object.pod_template_mut().and_then(Value::as_object_mut).map(|own| template(own, wanted));
    let touched: Vec<_> = touched.unwrap_or_default().into_iter().collect();
    if !touched.is_empty() {
        object.edit_annotations(|annotations| {
            annotations.insert(CUSTOM_OVERRIDES.into(), touched.join(",").into());
        });
    }
}

/// The two ways to state a budget exclude each other.
fn exclude(spec: &mut Map<String, Value>, name: &str) {
    let pair = ["minAvailable", "maxUnavailable"];
    if pair.contains(&name) {
        spec.retain(|own, _| !pair.contains(&own.as_str()));
    }
}

/// Answers with the fields of containers that were set.
fn template(own: &mut Map<String, Value>, wanted: &Value) -> BTreeSet<String> {
    edit_map(own, "metadata", |metadata| {
        edit_map(metadata, "labels", |labels| add(labels, wanted.pointer("/metadata/labels")));
        edit_map(metadata, "annotations", |own| add(own, wanted.pointer("/metadata/annotations")));
    });
    let mut touched = BTreeSet::new();
    let (Some(Value::Object(own)), Some(Value::Object(wanted))) = (own.get_mut("spec"), wanted.get("spec")) else {
        return touched;
    };
    for (name, value) in wanted {
        match name.as_str() {
            "containers" | "initContainers" => touched.extend(containers(own, name, value)),
            "nodeSelector" => edit_map(own, name, |selector| add(selector, Some(value))),
            // An empty word is no choice.
            _ if value.as_str() == Some("") => {}
            // As a whole: half of an affinity, or of a list, would be neither the user's nor the operator's.
            _ => drop(own.insert(name.clone(), value.clone())),
        }
    }
    touched
}

/// Sets fields of the containers that the override names; answers with their names.
pub(super) fn containers(pod: &mut Map<String, Value>, list: &str, wanted: &Value) -> BTreeSet<String> {
    let mut touched = BTreeSet::new();
    let wanted = wanted.as_array().into_iter().flatten().filter_map(Value::as_object);
    for wanted in wanted {
        let own = pod.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
        for own in own.filter_map(Value::as_object_mut).filter(|own| names(own, wanted)) {
            touched.extend(container(own, wanted));
        }
    }
    touched
}

fn names(own: &Map<String, Value>, wanted: &Map<String, Value>) -> bool {
    own.get("name").and_then(Value::as_str) == wanted.get("name").and_then(Value::as_str).map(current_name)
}

/// The name that a container has now.
pub(super) fn current_name(wanted: &str) -> &str {
    RENAMED.iter().find(|(former, _)| *former == wanted).map_or(wanted, |(_, name)| name)
}

fn container(own: &mut Map<String, Value>, wanted: &Map<String, Value>) -> BTreeSet<String> {
    let mut touched = BTreeSet::new();
    for (name, value) in wanted.iter().filter(|(name, _)| *name != "name") {
        // Timing of a probe that there is none of means nothing.
        if name.ends_with("Probe") && !own.contains_key(name) {
            continue;
        }
        match name.ends_with("Probe") {
            true => lay(own, name, value),
            false => drop(own.insert(name.clone(), value.clone())),
        }
        touched.insert(name.clone());
    }
    touched
}

/// Adds entries; what is there keeps its value.
fn add(own: &mut Map<String, Value>, wanted: Option<&Value>) {
    for (name, value) in wanted.and_then(Value::as_object).into_iter().flatten() {
        if !RESERVED.contains(&name.as_str()) {
            own.entry(name).or_insert_with(|| value.clone());
        }
    }
}

/// Sets a field; maps are gone into, so that what the user does not mention stays.
fn lay(own: &mut Map<String, Value>, name: &str, wanted: &Value) {
    match (own.get_mut(name), wanted) {
        (Some(Value::Object(own)), Value::Object(wanted)) => {
            wanted.iter().for_each(|(name, value)| lay(own, name, value));
        }
        _ => drop(own.insert(name.to_owned(), wanted.clone())),
    }
}
