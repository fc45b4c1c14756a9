//! Whether Calico's own API (`projectcalico.org/v3`) answers, which network policies in tiers need.
//!
//! In the API group v3 it is made of CustomResourceDefinitions and always there. Else it is answered by Calico's API
//! server, which the operator runs itself: whatever needs it is left out while it does not answer, and holds nothing up.

use std::sync::Arc;

use chimera_core::installation::config::ApiGroup;
use chimera_core::message::Message;
use chimera_core::names::{API_SERVICE, CALICO_SYSTEM, TIER, WEBHOOKS};
use chimera_core::object::ObjectKey;
use serde_json::Value;

use super::installation::dereference::failed;
use super::wiring::watch_also;
use crate::context::Context;
use crate::watch::signal::Signal;
use crate::watch::source::Target;

/// API version of what clients of Calico see.
pub const API_VERSION: &str = "projectcalico.org/v3";

/// Whether it answers.
///
/// # Errors
/// If that cannot be found out.
pub async fn answers(context: &Context) -> Result<bool, Message> {
    if context.settings.api_group == ApiGroup::V3 {
        return Ok(true);
    }
    Ok(api_service(context).await?.is_some_and(|live| is_available(&live)))
}

/// What says who answers; whoever asks is woken when it changes.
///
/// # Errors
/// If it cannot be read.
pub async fn api_service(context: &Context) -> Result<Option<Arc<Value>>, Message> {
    let api_version = "apiregistration.k8s.io/v1";
    watch_also(context, Target::new(api_version, "APIService", "apiservices").named(API_SERVICE));
    let key = ObjectKey::cluster(api_version, "APIService", API_SERVICE);
    context.reader.get(&key, "apiservices").await.map_err(failed)
}

/// Whether an APIService says that its API answers.
pub fn is_available(api_service: &Value) -> bool {
    let conditions = api_service.pointer("/status/conditions").and_then(Value::as_array).into_iter().flatten();
    let is = |condition: &Value, field: &str, value: &str| condition.get(field).is_some_and(|field| field == value);
    conditions.into_iter().any(|condition| is(condition, "type", "Available") && is(condition, "status", "True"))
}

/// Whether network policies can be put into the operator's tier: the API answers and the tier is there.
///
/// # Errors
/// If that cannot be found out.
pub async fn takes_policies(context: &Context) -> Result<bool, Message> {
    if !answers(context).await? || webhooks_are_coming(context) {
        return Ok(false);
    }
    watch_also(context, Target::new(API_VERSION, "Tier", "tiers").auxiliary());
    watch_also(
        context,
        Target::new(API_VERSION, "NetworkPolicy", "networkpolicies").labelled(super::wiring::OURS).auxiliary(),
    );
    // Between two looks it may stop to answer, which is told by whoever looks after it.
    Ok(has_made_tier(context) || context.reader.get(&tier(), "tiers").await.is_ok_and(|live| live.is_some()))
}

/// Whether this process has made the tier, or has found it as it is to be. The watch may be late to see it.
pub fn has_made_tier(context: &Context) -> bool {
    context.applier.last_version(&tier()).is_some()
}

/// Wakes whoever has policies to put into the tier.
pub fn announce_tier(context: &Context) {
    let bells = &context.bells;
    let all = [&bells.installation, &bells.api_server, &bells.goldmane, &bells.whisker, &bells.cluster_connection];
    all.into_iter().for_each(Signal::ring);
}

fn tier() -> ObjectKey {
    ObjectKey::cluster(API_VERSION, "Tier", TIER)
}

/// Where webhooks check policies, none can be written before they run.
fn webhooks_are_coming(context: &Context) -> bool {
    let key = ObjectKey::namespaced("apps/v1", "Deployment", CALICO_SYSTEM, WEBHOOKS);
    context.workloads.rollout(&key).is_some_and(|rollout| rollout.available == 0)
}
