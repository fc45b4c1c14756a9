//! Objects that can only be deleted and created again, since the API server refuses to change the field.

use serde_json::{Map, Value};

use crate::object::ObjectKey;

/// The field that cannot be changed in place, if one has to change.
pub(super) fn why(key: &ObjectKey, live: &Map<String, Value>, wanted: &Map<String, Value>) -> Option<&'static str> {
    let differs = |path: &[&str]| at(live, path) != at(wanted, path);
    match (key.group(), key.kind.as_str()) {
        ("", "Secret") if differs(&["type"]) => Some("type"),
        ("", "Service") if headless(live) != headless(wanted) => Some("spec.clusterIP"),
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") if differs(&["roleRef"]) => Some("roleRef"),
        ("apps", _) if differs(&["spec", "selector"]) => Some("spec.selector"),
        ("batch", "Job") => job(live, wanted),
        _ => None,
    }
}

fn at<'a>(fields: &'a Map<String, Value>, path: &[&str]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(fields.get(*first)?, |value, name| value.get(*name))
}

fn headless(fields: &Map<String, Value>) -> bool {
    at(fields, &["spec", "clusterIP"]).is_some_and(|address| address == "None")
}

fn job(live: &Map<String, Value>, wanted: &Map<String, Value>) -> Option<&'static str> {
    for list in ["containers", "initContainers"] {
        let path = ["spec", "template", "spec", list];
        if images(at(live, &path)) != images(at(wanted, &path)) {
            return Some("spec.template.spec.containers");
        }
    }
    let path = ["spec", "template", "metadata", "annotations"];
    let annotations = at(wanted, &path).and_then(Value::as_object).into_iter().flatten();
    let before = at(live, &path);
    let changed = |(name, value): (&String, &Value)| before.and_then(|before| before.get(name)) != Some(value);
    annotations.into_iter().any(changed).then_some("spec.template.metadata.annotations")
}

fn images(containers: Option<&Value>) -> Vec<Option<&Value>> {
    containers.and_then(Value::as_array).into_iter().flatten().map(|container| container.get("image")).collect()
}
