//! Judges how a world ended: by its objects, and by what was written on the way.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::api::{ChangeKind, Key};
use crate::world::World;

/// Objects as they ended, without what differs from run to run.
pub type Snapshot = BTreeMap<Key, Value>;

/// Kinds that tell the story of a run, not its outcome.
const STORY: [&str; 2] = ["Event", "Lease"];
/// Fields of metadata that differ from run to run.
const PASSING: [&str; 6] =
    ["creationTimestamp", "generation", "managedFields", "resourceVersion", "uid", "deletionTimestamp"];

/// All objects as they are.
pub fn snapshot(world: &World) -> Snapshot {
    let store = world.server.store();
    let names: BTreeMap<String, String> = store
        .objects()
        .iter()
        .map(|(key, object)| (object["metadata"]["uid"].as_str().unwrap_or_default().to_owned(), key.to_string()))
        .collect();
    let told = store.objects().iter().filter(|(key, _)| !STORY.contains(&key.kind.kind.as_str()));
    told.map(|(key, object)| (key.clone(), lasting(object, &names))).collect()
}

fn lasting(object: &Value, names: &BTreeMap<String, String>) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        PASSING.iter().for_each(|name| {
            metadata.remove(*name);
        });
    }
    if let Some(owners) = object["metadata"]["ownerReferences"].as_array_mut() {
        for owner in owners {
            let uid = owner["uid"].as_str().unwrap_or_default();
            owner["uid"] = names.get(uid).cloned().unwrap_or_else(|| "nobody".into()).into();
        }
    }
    if object["kind"] == "Service" && object["spec"]["clusterIP"] != "None" {
        object["spec"]["clusterIP"] = "an address".into();
        object["spec"]["clusterIPs"] = Value::Null;
    }
    timeless(&mut object["status"]);
    if object["status"].is_null() {
        object.as_object_mut().map(|object| object.remove("status"));
    }
    object
}

fn timeless(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for name in ["lastTransitionTime", "observedGeneration"] {
                fields.remove(name);
            }
            fields.values_mut().for_each(timeless);
        }
        Value::Array(items) => items.iter_mut().for_each(timeless),
        _ => {}
    }
}

/// How two outcomes differ, if they do.
pub fn difference(expected: &Snapshot, found: &Snapshot) -> Option<String> {
    let keys: BTreeSet<_> = expected.keys().chain(found.keys()).collect();
    let mut all = Vec::new();
    for key in keys {
        match (expected.get(key), found.get(key)) {
            (Some(_), None) => all.push(format!("{key} is missing")),
            (None, Some(_)) => all.push(format!("{key} should not be there")),
            (Some(expected), Some(found)) if expected != found => {
                let mut places = Vec::new();
                places_of(expected, found, "", &mut places);
                all.push(format!("{key} differs: {}", places.join("; ")));
            }
            _ => {}
        }
    }
    (!all.is_empty()).then(|| all.join("\n  "))
}

fn places_of(expected: &Value, found: &Value, path: &str, places: &mut Vec<String>) {
    if expected == found || places.len() > 4 {
        return;
    }
    match (expected, found) {
        (Value::Object(a), Value::Object(b)) => {
            for name in a.keys().chain(b.keys().filter(|name| !a.contains_key(*name))) {
                places_of(&expected[name.as_str()], &found[name.as_str()], &format!("{path}/{name}"), places);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().for_each(|(at, (a, b))| places_of(a, b, &format!("{path}/{at}"), places));
        }
        _ => places.push(format!("{path}: {} instead of {}", short(found), short(expected))),
    }
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(120).collect()
}

/// How often each object was created, changed and deleted by the operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary(BTreeMap<Key, [usize; 3]>);

impl Summary {
    /// Since a version.
    pub fn since(world: &World, version: u64) -> Self {
        let mut summary = Self::default();
        let store = world.server.store();
        let ours = store.log().iter().filter(|change| change.version > version && !World::is_foreign(&change.manager));
        for change in ours.filter(|change| !STORY.contains(&change.key.kind.kind.as_str())) {
            let at = match change.kind {
                ChangeKind::Added => 0,
                ChangeKind::Modified => 1,
                ChangeKind::Deleted => 2,
            };
            summary.0.entry(change.key.clone()).or_default()[at] += 1;
        }
        summary
    }

    /// All writes.
    pub fn writes(&self) -> usize {
        self.0.values().flatten().sum()
    }

    /// What was written more than in the reference: an object created or deleted once more, or changed more than `updates` times
    /// more. Statuses, which tell of passing trouble, may be changed as often as need be.
    pub fn excess(&self, reference: &Self, updates: usize) -> Option<String> {
        let mut all = Vec::new();
        for (key, [created, updated, deleted]) in &self.0 {
            let [known_created, known_updated, known_deleted] = reference.0.get(key).copied().unwrap_or_default();
            if *deleted > known_deleted {
                all.push(format!("{key} was deleted {deleted} times instead of {known_deleted}"));
            }
            if *created > known_created {
                all.push(format!("{key} was created {created} times instead of {known_created}"));
            }
            let told = matches!(key.kind.kind.as_str(), "TigeraStatus" | "Installation");
            if !told && *updated > known_updated + updates {
                all.push(format!("{key} was changed {updated} times instead of {known_updated}"));
            }
        }
        (!all.is_empty()).then(|| all.join("\n  "))
    }
}

/// Everything that the operator created.
pub fn owned(world: &World) -> Vec<Key> {
    let store = world.server.store();
    let ours = |object: &Value| object["metadata"]["labels"]["app.kubernetes.io/managed-by"] == "tigera-operator";
    store.objects().iter().filter(|(_, object)| ours(object)).map(|(key, _)| key.clone()).collect()
}
