//! Metadata: foreign labels, annotations and finalizers stay; owners are taken over, or merged.

use serde_json::{Map, Value};

use super::managed::Managed;
use super::overlay::Overlay;
use crate::policies::MULTIPLE_OWNERS_LABEL;

/// Domain of the operator's finalizers and owners.
const DOMAIN: &str = "tigera.io";

pub(super) fn lay(
    overlay: &Overlay,
    live: &Map<String, Value>,
    desired: &Map<String, Value>,
    managed: &Managed<'_>,
) -> Value {
    let empty = Map::new();
    let part =
        |fields: &Map<String, Value>| fields.get("metadata").and_then(Value::as_object).unwrap_or(&empty).clone();
    let (live, desired) = (part(live), part(desired));
    let managed = managed.field("metadata");
    let mut laid = live.clone();
    // The API server keeps what it has if it is not sent.
    laid.remove("managedFields");
    for name in ["labels", "annotations"] {
        let map =
            |metadata: &Map<String, Value>| metadata.get(name).and_then(Value::as_object).cloned().unwrap_or_default();
        let merged = overlay.map(name, &map(&live), &map(&desired), &managed.field(name));
        put(&mut laid, name, Value::Object(merged.clone()), merged.is_empty());
    }
    for (name, merged) in
        [("finalizers", finalizers(overlay, &live, &desired)), ("ownerReferences", owners(&live, &desired))]
    {
        let none = merged.is_empty();
        put(&mut laid, name, Value::Array(merged), none);
    }
    Value::Object(laid)
}

fn put(metadata: &mut Map<String, Value>, name: &str, value: Value, empty: bool) {
    if empty {
        metadata.remove(name);
    } else {
        metadata.insert(name.into(), value);
    }
}

fn list(metadata: &Map<String, Value>, name: &str) -> Vec<Value> {
    metadata.get(name).and_then(Value::as_array).cloned().unwrap_or_default()
}

/// Whether a finalizer is the operator's: of the domain `tigera.io` or one below it.
pub fn is_our_finalizer(finalizer: &str) -> bool {
    let domain = finalizer.split('/').next().unwrap_or_default();
    domain.strip_suffix(DOMAIN).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

fn finalizers(overlay: &Overlay, live: &Map<String, Value>, desired: &Map<String, Value>) -> Vec<Value> {
    let wanted = list(desired, "finalizers");
    let ours = |finalizer: &Value| finalizer.as_str().is_some_and(is_our_finalizer);
    let mut merged = list(live, "finalizers");
    merged.retain(|finalizer| !overlay.removes || wanted.contains(finalizer) || !ours(finalizer));
    let missing: Vec<_> = wanted.into_iter().filter(|finalizer| !merged.contains(finalizer)).collect();
    merged.extend(missing);
    merged
}

/// Owners that others added stay, if they do not control the object; a former owner of ours goes.
fn owners(live: &Map<String, Value>, desired: &Map<String, Value>) -> Vec<Value> {
    let wanted = list(desired, "ownerReferences");
    let before = list(live, "ownerReferences");
    if wanted.is_empty() {
        return before;
    }
    let together = desired.get("labels").and_then(|labels| labels.get(MULTIPLE_OWNERS_LABEL)).is_some();
    let stays = |owner: &Value| together || !(controls(owner) || is_ours(owner));
    let same = |a: &Value, b: &Value| ["apiVersion", "kind", "name"].iter().all(|field| a.get(*field) == b.get(*field));
    let mut merged = Vec::new();
    // In the live order, so that nothing is written only to sort them.
    for owner in &before {
        match wanted.iter().find(|wanted| same(owner, wanted)) {
            Some(ours) => merged.push(ours.clone()),
            None if stays(owner) => merged.push(owner.clone()),
            None => {}
        }
    }
    let missing: Vec<_> = wanted.iter().filter(|owner| !merged.contains(owner)).cloned().collect();
    merged.extend(missing);
    merged
}

fn controls(owner: &Value) -> bool {
    owner.get("controller") == Some(&Value::Bool(true))
}

fn is_ours(owner: &Value) -> bool {
    let group = owner.get("apiVersion").and_then(Value::as_str).and_then(|version| version.split_once('/'));
    group.is_some_and(|(group, _)| is_our_finalizer(group))
}
