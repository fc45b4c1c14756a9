//! Windows nodes follow from the Installation, so what is read is what the Installation depends on, and whether its own
//! controller has made what pods here build on.

use chimera_core::message::Message;
use chimera_core::names::{CALICO_SYSTEM, CNI_CONFIG_WINDOWS, NODE_WINDOWS};
use chimera_core::object::ObjectKey;

use super::super::installation::dereference::{self, Found};
use crate::apply::live::{Known, LiveVersions as _};
use crate::context::Context;

/// What was read.
pub(super) struct FoundWindows {
    pub(super) installation: Found,
    /// Whether the namespace of Calico is there.
    pub(super) namespace: bool,
    /// Whether anything of ours for Windows nodes may be there.
    pub(super) remains: bool,
}

/// Reads; none if there is no Installation to serve.
pub(super) async fn run(context: &Context) -> Result<Option<FoundWindows>, Message> {
    let Some(installation) = dereference::run(context).await? else { return Ok(None) };
    let key = ObjectKey::cluster("v1", "Namespace", CALICO_SYSTEM);
    let namespace = matches!(context.versions.version(&key), Known::At { .. });
    let own = [
        ObjectKey::namespaced("apps/v1", "DaemonSet", CALICO_SYSTEM, NODE_WINDOWS),
        ObjectKey::namespaced("v1", "ConfigMap", CALICO_SYSTEM, CNI_CONFIG_WINDOWS),
    ];
    // Whatever a list that is still to come brings rings again.
    let remains = own.iter().any(|key| matches!(context.versions.version(key), Known::At { .. }));
    Ok(Some(FoundWindows { installation, namespace, remains }))
}
