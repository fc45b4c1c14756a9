//! Writing.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::call::Call;
use super::server::Answer;
use super::status::Refusal;
use super::store::{Key, Store};
use super::{admit, managed, patch as merge_patch};

/// Fields of metadata that only the server sets.
const SERVERS: [&str; 5] =
    ["uid", "creationTimestamp", "generation", "deletionTimestamp", "deletionGracePeriodSeconds"];

pub(super) fn create(store: &mut Store, call: &Call, now: Timestamp) -> Answer {
    let key = call.key();
    let body = &call.body;
    if key.name.is_empty() {
        return Err(Refusal::invalid(call, "metadata.name", "name or generateName is required"));
    }
    if !is_name(&key) {
        return Err(Refusal::invalid(call, "metadata.name", "a lowercase RFC 1123 subdomain is wanted"));
    }
    if body["metadata"]["resourceVersion"].as_str().is_some_and(|version| !version.is_empty()) {
        return Err(Refusal::new(
            400,
            "BadRequest",
            "resourceVersion should not be set on objects to be created",
            call,
        ));
    }
    namespace(store, call, &key)?;
    if store.get(&key).is_some() {
        return Err(Refusal::already_exists(call, &key.name));
    }
    let mut object = body.clone();
    if key.kind.status {
        object.as_object_mut().map(|object| object.remove("status"));
    }
    let mut object = admit::defaults(store, key.kind, object);
    let uid = store.new_uid();
    let metadata = &mut object["metadata"];
    metadata["name"] = key.name.clone().into();
    metadata["uid"] = uid.into();
    metadata["creationTimestamp"] = seconds(now);
    metadata["generation"] = 1.into();
    if key.kind.namespaced {
        metadata["namespace"] = key.namespace.clone().into();
    }
    managed::note(None, &mut object, call.manager(), "", &key.kind.api_version());
    if !call.commits() {
        return Ok(object);
    }
    Ok((*store.put(&key, object, call.manager())).clone())
}

/// Names of roles and their bindings may be almost anything.
fn is_name(key: &Key) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_label = |label: &str| {
        !label.is_empty() && !label.starts_with('-') && !label.ends_with('-') && label.bytes().all(allowed)
    };
    key.kind.group == "rbac.authorization.k8s.io" || (key.name.len() <= 253 && key.name.split('.').all(is_label))
}

fn namespace(store: &Store, call: &Call, key: &Key) -> Result<(), Refusal> {
    if !key.kind.namespaced {
        return Ok(());
    }
    match store.get(&Key::new("v1", "Namespace", "", &key.namespace)) {
        None => Err(Refusal::no_namespace(&key.namespace)),
        Some(namespace) if is_leaving(namespace) => {
            let message =
                format!("unable to create new content in namespace {} because it is being terminated", key.namespace);
            Err(Refusal::new(403, "Forbidden", &message, call))
        }
        Some(_) => Ok(()),
    }
}

pub(super) fn update(store: &mut Store, call: &Call, now: Timestamp) -> Answer {
    replace(store, call, call.body.clone(), now)
}

pub(super) fn patch(store: &mut Store, call: &Call, now: Timestamp) -> Answer {
    let old = store.get(&call.key()).cloned().ok_or_else(|| Refusal::not_found(call))?;
    let mut new = (*old).clone();
    merge_patch::merge(&mut new, &call.body);
    if call.body.pointer("/metadata/resourceVersion").is_none() {
        new["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"].clone();
    }
    replace(store, call, new, now)
}

fn replace(store: &mut Store, call: &Call, new: Value, now: Timestamp) -> Answer {
    let key = call.key();
    let old = store.get(&key).cloned().ok_or_else(|| Refusal::not_found(call))?;
    preconditions(call, &old, &new)?;
    let mut new =
        if call.subresource == "status" { with_status(&old, &new) } else { with_spec(store, call, &old, new)? };
    let metadata = &mut new["metadata"];
    for name in SERVERS.into_iter().chain(["name", "namespace", "resourceVersion"]) {
        metadata[name] = old["metadata"][name].clone();
        if metadata[name].is_null() {
            metadata.as_object_mut().map(|metadata| metadata.remove(name));
        }
    }
    if spec(&old) != spec(&new) {
        new["metadata"]["generation"] = (old["metadata"]["generation"].as_i64().unwrap_or(1) + 1).into();
    }
    let _ = now;
    managed::note(Some(&old), &mut new, call.manager(), &call.subresource, &key.kind.api_version());
    if !call.commits() {
        return Ok(new);
    }
    if same(&old, &new) {
        return Ok((*old).clone());
    }
    let stored = (*store.put(&key, new, call.manager())).clone();
    if is_leaving(&stored) && is_free(&stored) {
        store.remove(&key, call.manager());
    }
    Ok(stored)
}

fn preconditions(call: &Call, old: &Value, new: &Value) -> Result<(), Refusal> {
    let of = |object: &Value, name: &str| object["metadata"][name].as_str().unwrap_or_default().to_owned();
    let (wanted, uid) = (of(new, "resourceVersion"), of(new, "uid"));
    if wanted.is_empty() && call.kind.is_some_and(|kind| kind.custom) {
        let message = "metadata.resourceVersion: Invalid value: 0: must be specified for an update";
        return Err(Refusal::invalid(call, "metadata.resourceVersion", message));
    }
    let other_version = !wanted.is_empty() && wanted != of(old, "resourceVersion");
    let other_object = !uid.is_empty() && uid != of(old, "uid");
    if other_version || other_object { Err(Refusal::conflict(call)) } else { Ok(()) }
}

fn with_status(old: &Value, new: &Value) -> Value {
    let mut object = old.clone();
    object["status"] = new["status"].clone();
    if object["status"].is_null() {
        object.as_object_mut().map(|object| object.remove("status"));
    }
    object
}

fn with_spec(store: &Store, call: &Call, old: &Value, new: Value) -> Result<Value, Refusal> {
    let kind = call.kind.ok_or_else(Refusal::no_such_path)?;
    let mut new = admit::defaults(store, kind, carried(old, new, kind.kind.as_str()));
    admit::unchanged(call, old, &new)?;
    if kind.status {
        match old.get("status") {
            Some(status) => new["status"] = status.clone(),
            None => {
                new.as_object_mut().map(|object| object.remove("status"));
            }
        }
    }
    Ok(new)
}

/// A Service that names no address keeps the one it has.
fn carried(old: &Value, mut new: Value, kind: &str) -> Value {
    if kind == "Service" && new["spec"]["clusterIP"].is_null() {
        for name in ["clusterIP", "clusterIPs"] {
            new["spec"][name] = old["spec"][name].clone();
        }
    }
    new
}

pub(super) fn delete(store: &mut Store, call: &Call, now: Timestamp) -> Answer {
    let key = call.key();
    let old = store.get(&key).cloned().ok_or_else(|| Refusal::not_found(call))?;
    for name in ["uid", "resourceVersion"] {
        let wanted = call.body.pointer(&format!("/preconditions/{name}")).and_then(Value::as_str);
        if wanted.is_some_and(|wanted| old["metadata"][name] != wanted) {
            return Err(Refusal::new(409, "Conflict", "the precondition does not hold", call));
        }
    }
    if !call.commits() {
        return Ok((*old).clone());
    }
    Ok((*away(store, &key, &old, call.manager(), now)).clone())
}

/// Takes an object away, or marks it if something holds it.
pub(super) fn away(store: &mut Store, key: &Key, old: &Arc<Value>, manager: &str, now: Timestamp) -> Arc<Value> {
    if is_free(old) {
        return store.remove(key, manager).unwrap_or_else(|| Arc::clone(old));
    }
    if is_leaving(old) {
        return Arc::clone(old);
    }
    let mut marked = (**old).clone();
    marked["metadata"]["deletionTimestamp"] = seconds(now);
    marked["metadata"]["deletionGracePeriodSeconds"] = 0.into();
    store.put(key, marked, manager)
}

pub(super) fn is_leaving(object: &Value) -> bool {
    object.pointer("/metadata/deletionTimestamp").is_some_and(|time| !time.is_null())
}

/// Whether nothing holds it.
fn is_free(object: &Value) -> bool {
    let empty = |pointer: &str| object.pointer(pointer).and_then(Value::as_array).is_none_or(Vec::is_empty);
    let namespace = object["kind"] == "Namespace";
    empty("/metadata/finalizers") && (!namespace || empty("/spec/finalizers"))
}

/// All but metadata and status.
fn spec(object: &Value) -> Vec<(&String, &Value)> {
    let fields = object.as_object().into_iter().flatten();
    fields.filter(|(name, _)| !matches!(name.as_str(), "metadata" | "status")).collect()
}

/// Whether storing it would change nothing.
fn same(old: &Value, new: &Value) -> bool {
    let plain = |object: &Value| {
        let mut object = object.clone();
        object["metadata"]["managedFields"] = Value::Null;
        object
    };
    plain(old) == plain(new)
}

fn seconds(now: Timestamp) -> Value {
    json!(Timestamp::from_second(now.as_second()).unwrap_or(now))
}
