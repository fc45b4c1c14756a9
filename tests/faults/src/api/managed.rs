//! `metadata.managedFields` of plain writes: what a write changed is the writer's, and nobody else's any more.

use serde_json::{Map, Value, json};

/// Fields that the server itself keeps.
const SERVERS: [&str; 9] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "name",
    "namespace",
    "resourceVersion",
    "uid",
];
/// Maps that count as one value.
const WHOLE: [&str; 9] = [
    "selector",
    "nodeSelector",
    "roleRef",
    "fieldRef",
    "resourceFieldRef",
    "configMapKeyRef",
    "secretKeyRef",
    "podSelector",
    "namespaceSelector",
];

type Set = Map<String, Value>;

/// Notes who set what in `new`, which is laid over `old`.
pub(super) fn note(old: Option<&Value>, new: &mut Value, manager: &str, subresource: &str, api_version: &str) {
    let changed = changes(old.map(meant).as_ref(), &meant(new));
    let before = old.and_then(|old| old["metadata"]["managedFields"].as_array()).cloned().unwrap_or_default();
    let present = meant(new);
    let mut entries = Vec::new();
    let mut found = false;
    for mut entry in before {
        let mine = entry["manager"] == manager && entry["subresource"].as_str().unwrap_or_default() == subresource;
        let set = entry["fieldsV1"].as_object().cloned().unwrap_or_default();
        let mut set = restrict(&set, &present);
        if mine {
            found = true;
            union(&mut set, &changed);
        } else {
            subtract(&mut set, &changed);
        }
        if !set.is_empty() {
            entry["fieldsV1"] = Value::Object(set);
            entries.push(entry);
        }
    }
    if !found && !changed.is_empty() {
        let mut entry = json!({"manager": manager, "operation": "Update", "apiVersion": api_version,
            "fieldsType": "FieldsV1", "fieldsV1": changed});
        if !subresource.is_empty() {
            entry["subresource"] = subresource.into();
        }
        entries.push(entry);
    }
    if let Some(metadata) = new.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("managedFields".into(), entries.into());
    }
}

/// An object without what the server keeps.
fn meant(object: &Value) -> Value {
    let mut fields = object.as_object().cloned().unwrap_or_default();
    fields.remove("apiVersion");
    fields.remove("kind");
    if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
        SERVERS.iter().for_each(|name| {
            metadata.remove(*name);
        });
    }
    Value::Object(fields)
}

/// What is new or different.
fn changes(old: Option<&Value>, new: &Value) -> Set {
    let mut set = Set::new();
    let Value::Object(fields) = new else { return set };
    for (name, value) in fields {
        let before = old.and_then(|old| old.get(name));
        if before == Some(value) {
            continue;
        }
        set.insert(format!("f:{name}"), change(name, before, value));
    }
    set
}

fn change(name: &str, before: Option<&Value>, value: &Value) -> Value {
    match value {
        Value::Object(fields) if !fields.is_empty() && !WHOLE.contains(&name) => Value::Object(changes(before, value)),
        Value::Array(items) if items.iter().any(|item| step(name, item).is_some()) => elements(name, before, items),
        _ => json!({}),
    }
}

fn elements(name: &str, before: Option<&Value>, items: &[Value]) -> Value {
    let mut set = Set::new();
    for item in items {
        let Some(step) = step(name, item) else { continue };
        let old = before
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .find(|old| self::step(name, old).as_ref() == Some(&step));
        if old == Some(item) {
            continue;
        }
        let mut below = if item.is_object() { changes(old, item) } else { Set::new() };
        if old.is_none() && item.is_object() {
            below.insert(".".into(), json!({}));
        }
        set.insert(step, Value::Object(below));
    }
    Value::Object(set)
}

/// How an element of a list is named in a set; none: the list is one value.
fn step(list: &str, item: &Value) -> Option<String> {
    let names: &[&str] = match list {
        "finalizers" => return Some(format!("v:{item}")),
        "containers" | "initContainers" | "volumes" | "env" | "imagePullSecrets" | "secrets" | "webhooks" => &["name"],
        "volumeMounts" => &["mountPath"],
        "ownerReferences" => &["uid"],
        "conditions" => &["type"],
        "ports" if item.get("containerPort").is_some() => &["containerPort", "protocol"],
        "ports" if item.get("port").is_some() => &["port", "protocol"],
        "topologySpreadConstraints" => &["topologyKey", "whenUnsatisfiable"],
        _ => return None,
    };
    let keys: Option<Map<_, _>> =
        names.iter().map(|name| Some(((*name).to_owned(), item.get(*name)?.clone()))).collect();
    keys.map(|keys| format!("k:{}", Value::Object(keys)))
}

/// What of a set is still there.
fn restrict(set: &Set, value: &Value) -> Set {
    let kept = set.iter().filter_map(|(step, below)| {
        if step == "." {
            return Some((step.clone(), below.clone()));
        }
        let at = find(value, step)?;
        let below = below.as_object().cloned().unwrap_or_default();
        if below.is_empty() {
            return Some((step.clone(), json!({})));
        }
        let below = restrict(&below, at);
        (!below.is_empty()).then(|| (step.clone(), Value::Object(below)))
    });
    kept.collect()
}

fn find<'a>(value: &'a Value, step: &str) -> Option<&'a Value> {
    if let Some(name) = step.strip_prefix("f:") {
        return value.get(name);
    }
    let items = value.as_array()?;
    if let Some(keys) = step.strip_prefix("k:") {
        let keys: Map<String, Value> = serde_json::from_str(keys).ok()?;
        return items.iter().find(|item| keys.iter().all(|(name, value)| item.get(name) == Some(value)));
    }
    let wanted: Value = serde_json::from_str(step.strip_prefix("v:")?).ok()?;
    items.iter().find(|item| **item == wanted)
}

fn union(set: &mut Set, other: &Set) {
    for (step, below) in other {
        match (set.get_mut(step), below) {
            (Some(Value::Object(mine)), Value::Object(theirs)) => union(mine, theirs),
            _ => {
                set.insert(step.clone(), below.clone());
            }
        }
    }
}

fn subtract(set: &mut Set, other: &Set) {
    for (step, below) in other {
        let whole = below.as_object().is_none_or(Map::is_empty);
        let Some(Value::Object(mine)) = set.get_mut(step) else { continue };
        if whole || mine.is_empty() {
            set.remove(step);
            continue;
        }
        if let Value::Object(theirs) = below {
            subtract(mine, theirs);
        }
        if mine.is_empty() {
            set.remove(step);
        }
    }
}
