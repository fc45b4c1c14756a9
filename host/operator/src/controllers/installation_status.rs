//! The Installation's own status: what the operator chose, what is in force, and the conditions of the whole.

use std::collections::BTreeMap;

use chimera_core::codes;
use chimera_core::installation::config::InstallationConfig;
use chimera_core::message::Message;
use jiff::Timestamp;
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams};
use kube::{Api, Client};
use serde_json::{Map, Value, json};

use super::subject::{API_VERSION, INSTALLATION, Subject};
use crate::client::FIELD_MANAGER;
use crate::context::Context;
use crate::status::health::Health;

/// Writes the status if it says something new. What is not known (`config` is absent) stays as it is.
///
/// # Errors
/// If the API server does not take it.
pub async fn publish(
    context: &Context,
    subject: &Subject,
    config: Option<&InstallationConfig>,
    health: &Health,
) -> Result<(), kube::Error> {
    let live = context.reader.get(&subject.key, "installations").await.map_err(|error| *error.source)?;
    let Some(live) = live else { return Ok(()) };
    let before = live.get("status").cloned().unwrap_or_default();
    let patch = patch(&before, &wanted(subject, config, health, &before, context.clock.now()));
    if patch.is_empty() {
        return Ok(());
    }
    let params = PatchParams { field_manager: Some(FIELD_MANAGER.into()), ..PatchParams::default() };
    let patch = Patch::Merge(json!({"status": patch}));
    api(context.client.clone()).patch_status(&subject.key.name, &params, &patch).await.map(drop)
}

fn api(client: Client) -> Api<DynamicObject> {
    let resource = ApiResource::from_gvk_with_plural(
        &kube::api::GroupVersionKind::gvk("operator.tigera.io", "v1", INSTALLATION),
        "installations",
    );
    debug_assert_eq!(resource.api_version, API_VERSION);
    Api::all_with(client, &resource)
}

fn wanted(
    subject: &Subject,
    config: Option<&InstallationConfig>,
    health: &Health,
    before: &Value,
    now: Timestamp,
) -> BTreeMap<&'static str, Value> {
    let mut status = BTreeMap::from([("conditions", conditions(subject, health, before, now))]);
    if let Some(config) = config {
        status.insert("variant", json!(config.spec.variant));
        // A version that is applied in part only is not there yet; what depends on its coming waits until it is.
        if health.degraded.is_empty() {
            status.insert("calicoVersion", json!(config.images.version()));
        }
        status.insert("mtu", json!(config.spec.calico_network.as_ref().and_then(|network| network.mtu)));
        status.insert("defaults", config.defaults.clone());
        status.insert("computed", json!(config.spec));
    }
    status
}

/// `Ready`, `Progressing` and `Degraded`, as `kubectl wait` and others look for them.
pub(super) fn conditions(subject: &Subject, health: &Health, before: &Value, now: Timestamp) -> Value {
    let ready = health.available();
    let all = [
        ("Ready", ready, health.degraded.first().or(health.progressing.first())),
        ("Progressing", !health.progressing.is_empty(), health.progressing.first()),
        ("Degraded", !health.degraded.is_empty(), health.degraded.first()),
    ];
    all.into_iter().map(|(kind, holds, message)| condition(kind, holds, message, subject, before, now)).collect()
}

fn condition(
    kind: &str,
    holds: bool,
    message: Option<&Message>,
    subject: &Subject,
    before: &Value,
    now: Timestamp,
) -> Value {
    let status = if holds { "True" } else { "False" };
    let mut old = before.get("conditions").and_then(Value::as_array).into_iter().flatten();
    let old = old.find(|old| old.get("type") == Some(&json!(kind)));
    let since = old.filter(|old| old.get("status") == Some(&json!(status)));
    let since = since.and_then(|old| old.get("lastTransitionTime")).cloned();
    // A resource that cannot be read has not been observed any further than before.
    let observed = subject.generation.map(Value::from).or_else(|| old?.get("observedGeneration").cloned());
    let now = Timestamp::from_second(now.as_second()).unwrap_or(now);
    json!({
        "type": kind,
        "status": status,
        "reason": message.map_or(codes::ALL_AVAILABLE.reason, |message| message.code().reason),
        // The TigeraStatus tells it in full; here a count of pods would be a write each.
        "message": message.map_or(codes::ALL_AVAILABLE.title, |message| message.code().title),
        "lastTransitionTime": since.unwrap_or_else(|| json!(now)),
        "observedGeneration": observed.unwrap_or_else(|| json!(0)),
    })
}

/// A merge patch of what differs; a map's fields that are no longer wanted are taken out.
pub(super) fn patch(before: &Value, wanted: &BTreeMap<&'static str, Value>) -> Map<String, Value> {
    let differs = |(name, value): &(&&str, &Value)| before.get(**name).unwrap_or(&Value::Null) != *value;
    let replaced = |name: &str, value: &Value| replace(before.get(name), value);
    wanted.iter().filter(differs).map(|(name, value)| ((*name).into(), replaced(name, value))).collect()
}

/// A merge patch that makes `new` out of `old`: `null` takes a field out.
fn replace(old: Option<&Value>, new: &Value) -> Value {
    let (Some(Value::Object(old)), Value::Object(new)) = (old, new) else { return new.clone() };
    let gone = old.keys().filter(|name| !new.contains_key(*name)).map(|name| (name.clone(), Value::Null));
    gone.chain(new.iter().map(|(name, value)| (name.clone(), replace(old.get(name), value)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_that_says_the_same_is_not_written() {
        let health = Health::default();
        let (first, later) = (Timestamp::from_second(1).unwrap(), Timestamp::from_second(2).unwrap());
        let wanted_first = wanted(&Subject::installation(), None, &health, &json!({}), first);
        let before = json!(wanted_first);
        assert!(patch(&before, &wanted(&Subject::installation(), None, &health, &before, later)).is_empty());
    }

    #[test]
    fn a_field_that_is_no_longer_wanted_is_taken_out() {
        let before = json!({"computed": {"mtu": 1, "bgp": {"a": 1}}});
        let wanted = BTreeMap::from([("computed", json!({"bgp": {"b": 2}}))]);
        assert_eq!(json!(patch(&before, &wanted)), json!({"computed": {"mtu": null, "bgp": {"a": null, "b": 2}}}));
    }
}
