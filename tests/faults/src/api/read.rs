//! Reading.

use std::sync::Arc;

use serde_json::{Value, json};

use super::call::Call;
use super::selector::Selector;
use super::server::Answer;
use super::status::Refusal;
use super::store::{Key, Store};

pub(super) fn get(store: &Store, call: &Call, lag: u64) -> Answer {
    let key = call.key();
    let found = if lag == 0 { store.get(&key).cloned() } else { store.at(behind(store, lag)).remove(&key) };
    let found = found.ok_or_else(|| Refusal::not_found(call))?;
    Ok(if call.metadata_only { metadata(&found) } else { (*found).clone() })
}

pub(super) fn list(store: &Store, call: &Call, lag: u64) -> Value {
    let selector = selector(call);
    let matching = |(key, object): &(&Key, &Arc<Value>)| covers(call, key) && selector.matches(object);
    let version = behind(store, lag);
    let show = |object: &Value| if call.metadata_only { metadata(object) } else { object.clone() };
    let items: Vec<_> = if lag == 0 {
        store.objects().iter().filter(matching).map(|(_, object)| show(object)).collect()
    } else {
        store.at(version).iter().filter(matching).map(|(_, object)| show(object)).collect()
    };
    let (api_version, kind) = match call.kind {
        _ if call.metadata_only => ("meta.k8s.io/v1".to_owned(), "PartialObjectMetadataList".to_owned()),
        Some(kind) => (kind.api_version(), format!("{}List", kind.kind)),
        None => ("v1".to_owned(), "List".to_owned()),
    };
    let version = version.max(1).to_string();
    json!({"apiVersion": api_version, "kind": kind, "metadata": {"resourceVersion": version}, "items": items})
}

/// The version so many changes ago.
pub(super) fn behind(store: &Store, lag: u64) -> u64 {
    let log = store.log();
    let lag = usize::try_from(lag).unwrap_or(usize::MAX);
    if lag == 0 {
        return store.version();
    }
    log.len().checked_sub(lag + 1).and_then(|last| log.get(last)).map_or(0, |change| change.version)
}

/// Whether a call on a collection is about an object.
pub(super) fn covers(call: &Call, key: &Key) -> bool {
    call.kind.is_some_and(|kind| std::ptr::eq(kind, key.kind))
        && (call.namespace.is_empty() || call.namespace == key.namespace)
}

pub(super) fn selector(call: &Call) -> Selector {
    Selector::new(call.param("labelSelector"), call.param("fieldSelector"))
}

/// Only what everything has.
pub(super) fn metadata(object: &Value) -> Value {
    json!({"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": object["metadata"]})
}
