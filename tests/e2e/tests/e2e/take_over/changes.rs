//! What is different between two looks at a cluster, of what may not be.

use std::collections::BTreeMap;

use anyhow::Result;
use chimera_kit::ControlPlane;
use serde_json::Value;

/// Written by others all the time, or new with the operator.
const NOT_COMPARED: [&str; 5] = ["Event", "Lease", "Node", "ControllerRevision", "CustomResourceDefinition"];
/// Of the control plane, which has another authority than the one that the data comes from.
const CLUSTER_CA: &str = "kube-root-ca.crt";
/// What Calico's API server serves.
const SERVED: &str = "projectcalico.org/v3";
/// Fields that may differ, as the start of what is told: the authority instead of the certificate that it signed, and a
/// configuration file in other words, which no pod is restarted for.
const MEANT: [&str; 2] = [
    "apiregistration.k8s.io/v1 APIService /v3.projectcalico.org .spec.caBundle: ",
    "v1 ConfigMap calico-system/whisker-nginx-config .data.default.conf: ",
];
/// Parts that may change: status, and what the API server itself keeps in metadata.
const SERVER_SET: [&str; 3] = ["managedFields", "resourceVersion", "generation"];

/// Every object at one moment.
pub(crate) struct Snapshot(BTreeMap<String, Value>);

impl Snapshot {
    pub(crate) async fn take(cluster: &ControlPlane) -> Result<Self> {
        let mut objects = cluster.dump().await?;
        objects.retain(|object| !NOT_COMPARED.contains(&kind(object)) && text(object, "/metadata/name") != CLUSTER_CA);
        // The same objects as they are stored, for as long as it answers.
        objects.retain(|object| text(object, "/apiVersion") != SERVED);
        Ok(Self(objects.into_iter().map(|object| (name(&object), object)).collect()))
    }

    /// Whether there is an object of a kind of the operator's API.
    pub(crate) fn has(&self, kind: &str) -> bool {
        self.0.keys().any(|name| name.starts_with(&format!("operator.tigera.io/v1 {kind} ")))
    }
}

fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn kind(object: &Value) -> &str {
    text(object, "/kind")
}

fn name(object: &Value) -> String {
    let [version, kind, namespace, name] =
        ["/apiVersion", "/kind", "/metadata/namespace", "/metadata/name"].map(|pointer| text(object, pointer));
    format!("{version} {kind} {namespace}/{name}")
}

/// One line for each field outside of metadata and status that differs, and each object that came or went.
pub(crate) fn forbidden(before: &Snapshot, after: &Snapshot) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, old) in &before.0 {
        match after.0.get(name) {
            Some(new) => compare(name, old, new, &mut lines),
            // What nothing looks after any more would go on saying what was true once.
            None if name.contains(" TigeraStatus ") => {}
            None => lines.push(format!("{name} is gone")),
        }
    }
    let new = after.0.iter().filter(|(name, _)| !before.0.contains_key(*name));
    lines.extend(new.map(|(name, _)| format!("{name} is new")));
    lines.retain(|line| !MEANT.iter().any(|meant| line.starts_with(meant)));
    lines
}

fn compare(name: &str, old: &Value, new: &Value, lines: &mut Vec<String>) {
    let (mut old, mut new) = (old.clone(), new.clone());
    if text(&old, "/metadata/uid") != text(&new, "/metadata/uid") {
        lines.push(format!("{name} was deleted and created again"));
    }
    for object in [&mut old, &mut new] {
        if let Some(fields) = object.as_object_mut() {
            fields.remove("status");
        }
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            SERVER_SET.iter().for_each(|field| _ = metadata.remove(*field));
        }
    }
    differences("", &old, &new, &mut |field| lines.push(format!("{name} {field}")));
}

fn differences(path: &str, old: &Value, new: &Value, tell: &mut impl FnMut(String)) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let names: std::collections::BTreeSet<_> = old.keys().chain(new.keys()).collect();
            for name in names {
                let of = |map: &serde_json::Map<String, Value>| map.get(name).cloned().unwrap_or_default();
                differences(&format!("{path}.{name}"), &of(old), &of(new), tell);
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            old.iter().zip(new).enumerate().for_each(|(index, (old, new))| {
                differences(&format!("{path}[{index}]"), old, new, tell);
            });
        }
        (Value::Array(old), Value::Array(new)) if named(old) && named(new) => {
            differences(path, &by_name(old), &by_name(new), tell);
        }
        _ if old == new => {}
        _ => tell(format!("{path}: {} -> {}", short(old), short(new))),
    }
}

fn named(list: &[Value]) -> bool {
    list.iter().all(|element| element.get("name").is_some_and(Value::is_string))
}

fn by_name(list: &[Value]) -> Value {
    list.iter().map(|element| (text(element, "/name").to_owned(), element.clone())).collect()
}

/// The start of a value: certificates and configuration files are long.
fn short(value: &Value) -> String {
    value.to_string().chars().take(120).collect()
}
