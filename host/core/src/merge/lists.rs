//! Which lists are keyed and which fields exclude each other, in kinds of Kubernetes.

use serde_json::{Map, Value};

/// Fields that tell the elements of a list apart; none: the list is one value.
pub(super) fn keys(list: &str, element: &Value) -> Option<&'static [&'static str]> {
    Some(match list {
        "containers" | "initContainers" | "ephemeralContainers" | "volumes" | "env" | "webhooks" | "versions" => {
            &["name"]
        }
        "volumeMounts" => &["mountPath"],
        "volumeDevices" => &["devicePath"],
        "ports" if element.get("containerPort").is_some() => &["containerPort", "protocol"],
        "ports" if element.get("port").is_some() => &["port", "protocol"],
        "topologySpreadConstraints" => &["topologyKey", "whenUnsatisfiable"],
        _ => return None,
    })
}

/// Lists whose elements have no field but what desired says.
pub(super) fn is_closed(list: &str) -> bool {
    matches!(list, "env" | "volumeMounts" | "volumeDevices" | "ports" | "topologySpreadConstraints")
}

/// Of each of these at most one may be set.
const EXCLUSIVE: [&[&str]; 5] = [
    &["exec", "httpGet", "tcpSocket", "grpc", "sleep"],
    &["value", "valueFrom"],
    &["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"],
    &["url", "service"],
    &["minAvailable", "maxUnavailable"],
];

/// Whether desired leaves no room for a field of the live map.
pub(super) fn is_excluded(parent: &str, name: &str, desired: &Map<String, Value>) -> bool {
    match (parent, name) {
        ("volumes", name) => name != "name",
        ("strategy" | "updateStrategy", "rollingUpdate") => {
            desired.get("type").is_some_and(|kind| kind != "RollingUpdate")
        }
        _ => {
            let mut groups = EXCLUSIVE.iter().filter(|group| group.contains(&name));
            groups.any(|group| group.iter().any(|other| desired.contains_key(*other)))
        }
    }
}
