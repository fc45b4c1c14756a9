//! What a live object keeps although desired does not have it, by kind.
//!
//! Each rule puts that into the desired object, so that the overlay finds nothing to change.

mod deployment;
mod injected;
mod job;
mod service;
mod service_account;

use serde_json::{Map, Value};

use crate::object::ObjectKey;

/// The API server writes it from the state of the DaemonSet.
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// `desired`: as rendered; `wanted`: with defaults, to be changed.
pub(super) fn carry_over(
    key: &ObjectKey,
    live: &Map<String, Value>,
    desired: &Map<String, Value>,
    wanted: &mut Map<String, Value>,
) {
    match (key.group(), key.kind.as_str()) {
        ("", "Service") => service::carry_over(live, wanted),
        ("", "ServiceAccount") => service_account::carry_over(live, wanted),
        ("apps", "Deployment" | "StatefulSet") => deployment::carry_over(live, desired, wanted),
        ("apps", "DaemonSet") => keep(live, wanted, &["metadata", "annotations", TEMPLATE_GENERATION]),
        ("batch", "Job") => job::carry_over(live, wanted),
        ("admissionregistration.k8s.io", _) => injected::webhooks(live, wanted),
        ("apiregistration.k8s.io", "APIService") => injected::api_service(live, wanted),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => injected::definition(live, wanted),
        _ => {}
    }
}

/// Puts the live field at a path into `wanted`, unless it has one; the maps on the way are made.
fn keep(live: &Map<String, Value>, wanted: &mut Map<String, Value>, path: &[&str]) {
    let Some((first, rest)) = path.split_first() else { return };
    let Some(value) = live.get(*first) else { return };
    if rest.is_empty() {
        wanted.entry(*first).or_insert_with(|| value.clone());
        return;
    }
    // Only for what is there, so that no empty map is made.
    let Value::Object(live) = value else { return };
    if rest.iter().try_fold(value, |value, name| value.get(*name)).is_none() {
        return;
    }
    if let Value::Object(wanted) = wanted.entry(*first).or_insert_with(|| Value::Object(Map::new())) {
        keep(live, wanted, rest);
    }
}
