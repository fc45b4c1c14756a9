//! Reads what nodes must know of Goldmane.

use std::sync::Arc;

use chimera_core::goldmane::{Collector, KIND};
use chimera_core::installation::services::{self, GOLDMANE_SERVICE};
use chimera_core::message::Message;
use chimera_core::names::{CALICO_SYSTEM, NODE, OPERATOR_SECRETS_ROLE};
use chimera_core::object::ObjectKey;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Service;
use serde_json::Value;

use super::{failed, typed};
use crate::apply::live::{Known, LiveVersions as _};
use crate::context::Context;
use crate::controllers::subject::API_VERSION;

const RBAC: &str = "rbac.authorization.k8s.io/v1";

/// None where nodes are to run without it.
pub(super) async fn read(context: &Context, installation: &Value) -> Result<Option<Collector>, Message> {
    let key = ObjectKey::cluster(API_VERSION, KIND, "default");
    let Some(live) = context.reader.get(&key, "goldmanes").await.map_err(failed)? else { return Ok(None) };
    if live.pointer("/metadata/deletionTimestamp").is_some() {
        return Ok(None);
    }
    let since = [installation, &*live].into_iter().filter_map(created).max();
    let node = ObjectKey::namespaced("apps/v1", "DaemonSet", CALICO_SYSTEM, NODE);
    let address = address(context).await?;
    // Only while there is none it matters whether nodes run already.
    let is_fresh = address.is_none() && look(context, &node, "daemonsets").await?.is_none();
    Ok(Collector::live(address, is_fresh, since, context.clock.now()))
}

/// Of its Service.
async fn address(context: &Context) -> Result<Option<String>, Message> {
    let (namespace, name) = GOLDMANE_SERVICE;
    let key = ObjectKey::namespaced("v1", "Service", namespace, name);
    let Some(live) = look(context, &key, "services").await? else { return Ok(None) };
    let service: Service = typed(&key, &live)?;
    Ok(services::facts(&service).cluster_ips.into_iter().next())
}

/// An object of the operator's in Calico's namespace. What the watch does not know yet is asked for, since taking it for
/// missing would restart every node. Who may not ask has not made that namespace yet.
async fn look(context: &Context, key: &ObjectKey, plural: &str) -> Result<Option<Arc<Value>>, Message> {
    if matches!(context.versions.version(key), Known::Absent) {
        return Ok(None);
    }
    match context.reader.get(key, plural).await {
        Err(error) if is_forbidden(&error.source) && !has_namespace(context) => Ok(None),
        read => read.map_err(failed),
    }
}

fn is_forbidden(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 403)
}

/// Whether the operator may look around in there.
fn has_namespace(context: &Context) -> bool {
    let key = ObjectKey::namespaced(RBAC, "RoleBinding", CALICO_SYSTEM, OPERATOR_SECRETS_ROLE);
    matches!(context.versions.version(&key), Known::At { .. })
}

fn created(live: &Value) -> Option<Timestamp> {
    live.pointer("/metadata/creationTimestamp")?.as_str()?.parse().ok()
}
