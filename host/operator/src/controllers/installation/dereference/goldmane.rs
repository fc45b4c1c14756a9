//! Reads what nodes must know of Goldmane.

use chimera_core::goldmane::{Collector, KIND};
use chimera_core::installation::services::{self, GOLDMANE_SERVICE};
use chimera_core::message::Message;
use chimera_core::names::{CALICO_SYSTEM, NODE};
use chimera_core::object::ObjectKey;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Service;
use serde_json::Value;

use super::{failed, typed};
use crate::apply::live::{Known, LiveVersions as _};
use crate::context::Context;
use crate::controllers::subject::API_VERSION;

/// None where nodes are to run without it.
pub(super) async fn read(context: &Context, installation: &Value) -> Result<Option<Collector>, Message> {
    let key = ObjectKey::cluster(API_VERSION, KIND, "default");
    let Some(live) = context.reader.get(&key, "goldmanes").await.map_err(failed)? else { return Ok(None) };
    if live.pointer("/metadata/deletionTimestamp").is_some() {
        return Ok(None);
    }
    let since = [installation, &*live].into_iter().filter_map(created).max();
    let node = ObjectKey::namespaced("apps/v1", "DaemonSet", CALICO_SYSTEM, NODE);
    let is_fresh = context.workloads.within(CALICO_SYSTEM).is_some() && context.workloads.rollout(&node).is_none();
    Ok(Collector::live(address(context).await?, is_fresh, since, context.clock.now()))
}

/// Of its Service. Before the watch has seen that, there may be no right to read it.
async fn address(context: &Context) -> Result<Option<String>, Message> {
    let (namespace, name) = GOLDMANE_SERVICE;
    let key = ObjectKey::namespaced("v1", "Service", namespace, name);
    if !matches!(context.versions.version(&key), Known::At { .. }) {
        return Ok(None);
    }
    let Some(live) = context.reader.get(&key, "services").await.map_err(failed)? else { return Ok(None) };
    let service: Service = typed(&key, &live)?;
    Ok(services::facts(&service).cluster_ips.into_iter().next())
}

fn created(live: &Value) -> Option<Timestamp> {
    live.pointer("/metadata/creationTimestamp")?.as_str()?.parse().ok()
}
