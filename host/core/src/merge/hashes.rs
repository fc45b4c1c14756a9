//! Hashes in pod templates that the operator before this one worked out.
//!
//! A hash makes pods restart when what they read changes. The two operators may work it out in different ways, and to
//! replace one by the other would restart every pod for nothing. So a hash of the former operator stays while it still
//! stands for what it was made of: nobody has written that since, and nothing else of the template is to change.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use super::{Plan, plan};
use crate::certificates::BUNDLE_CONFIG_MAP;
use crate::hash;
use crate::object::{Object, ObjectKey};

/// The name that the operator before this one writes under.
const PREDECESSOR: &str = "operator";
/// Where a pod template stands in a workload.
const TEMPLATE: &str = "/spec/template";
/// Where its annotations stand.
const ANNOTATIONS: &str = "/spec/template/metadata/annotations";
/// Parts of Secrets and ConfigMaps that are hashed.
const CONTENT: [&str; 2] = ["f:data", "f:binaryData"];

/// Hashes in the live template, by annotation, that would be the only change of it and that only the former operator
/// has written. Empty if anything else of the template is to change, for then its pods restart anyway.
pub fn in_doubt(live: &Value, desired: &Object, shared: bool) -> BTreeMap<String, String> {
    let none = BTreeMap::new();
    let ("apps", Some(Value::Object(wanted))) = (desired.key().group(), desired.pointer(ANNOTATIONS)) else {
        return none;
    };
    let Some(Value::Object(there)) = live.pointer(ANNOTATIONS) else { return none };
    let differs = |(name, hash): &(&String, &Value)| wanted.get(*name).is_some_and(|wanted| wanted != *hash);
    let hashes = there.iter().filter(|(name, _)| hash::is_annotation(name)).filter(differs);
    let hashes = hashes.filter(|(name, _)| is_inherited(live, name));
    let hashes: BTreeMap<_, _> =
        hashes.filter_map(|(name, hash)| Some((name.clone(), hash.as_str()?.to_owned()))).collect();
    if hashes.is_empty() || changes_template(&plan(live, &adopt(desired, &hashes), shared)) { none } else { hashes }
}

fn changes_template(plan: &Plan) -> bool {
    match plan {
        Plan::Unchanged => false,
        Plan::Update(update) => update.changes.iter().any(|change| change.pointer.starts_with(TEMPLATE)),
        Plan::Recreate(_) => true,
    }
}

/// The desired object with hashes of the live one.
pub fn adopt(desired: &Object, hashes: &BTreeMap<String, String>) -> Object {
    let mut adopted = desired.clone();
    let annotations = ["spec", "template", "metadata", "annotations"]
        .iter()
        .try_fold(adopted.fields_mut(), |fields, name| fields.get_mut(*name)?.as_object_mut());
    if let Some(annotations) = annotations {
        annotations.extend(hashes.iter().map(|(name, hash)| (name.clone(), hash.clone().into())));
    }
    adopted
}

/// What an annotation may be a hash of: the first of these that exists.
pub fn hashed(workload: &ObjectKey, annotation: &str) -> Vec<ObjectKey> {
    let Some((domain, name)) = annotation.split_once('/') else { return Vec::new() };
    let namespace = domain.split_once(".hash.").map(|(namespace, _)| namespace).or(workload.namespace.as_deref());
    let name = if annotation == hash::annotation("system") { BUNDLE_CONFIG_MAP } else { name };
    let key = |kind| ObjectKey::namespaced("v1", kind, namespace.unwrap_or_default(), name);
    vec![key("Secret"), key("ConfigMap")]
}

/// Whether a hash in a live workload still stands for a live Secret or ConfigMap: its content was not written after the
/// former operator last wrote the workload.
pub fn stands_for(workload: &Value, hashed: &Value) -> bool {
    let written = |entry: &&Value| {
        CONTENT.iter().any(|part| entry.pointer("/fieldsV1").is_some_and(|set| set.get(part).is_some()))
    };
    let content: Option<Vec<_>> = entries(hashed).filter(written).map(time).collect();
    let template = entries(workload).filter(|entry| manager(entry) == Some(PREDECESSOR)).filter_map(time).max();
    match (content.and_then(|times| times.into_iter().max()), template) {
        (Some(content), Some(template)) => content <= template,
        // Nothing is known, so nothing is assumed.
        _ => false,
    }
}

/// Whether only the former operator has set an annotation of the template.
fn is_inherited(live: &Value, annotation: &str) -> bool {
    let sets = |entry: &&Value| {
        let path = ["fieldsV1", "f:spec", "f:template", "f:metadata", "f:annotations"];
        let annotations = path.iter().try_fold(*entry, |at, step| at.get(step));
        annotations.is_some_and(|annotations| annotations.get(format!("f:{annotation}")).is_some())
    };
    let mut owners = entries(live).filter(sets).map(manager).peekable();
    owners.peek().is_some() && owners.all(|owner| owner == Some(PREDECESSOR))
}

fn entries(object: &Value) -> impl Iterator<Item = &Value> {
    object.pointer("/metadata/managedFields").and_then(Value::as_array).into_iter().flatten()
}

fn manager(entry: &Value) -> Option<&str> {
    entry.get("manager")?.as_str()
}

fn time(entry: &Value) -> Option<Timestamp> {
    entry.get("time")?.as_str()?.parse().ok()
}
