//! Reads what pods trust, and how far they are with what was written last.

use std::sync::Arc;

use chimera_core::certificates::{BUNDLE_CONFIG_MAP, BUNDLE_KEY, SYSTEM_BUNDLE_KEY, Trusted, Uptake};
use chimera_core::hash;
use chimera_core::message::Message;
use chimera_core::names::CALICO_SYSTEM;
use chimera_core::object::ObjectKey;

use super::failed;
use crate::context::Context;

pub(super) async fn read(context: &Context) -> Result<Trusted, Message> {
    let key = ObjectKey::namespaced("v1", "ConfigMap", CALICO_SYSTEM, BUNDLE_CONFIG_MAP);
    let live = context.reader.get(&key, "configmaps").await.map_err(failed)?;
    let text = |name: &str| live.as_ref()?.get("data")?.get(name)?.as_str().map(Arc::from);
    let certificates = text(BUNDLE_KEY).unwrap_or_default();
    Ok(Trusted { certificates, roots: text(SYSTEM_BUNDLE_KEY), uptake: uptake(context) })
}

fn uptake(context: &Context) -> Uptake {
    let Some(rollouts) = context.workloads.within(CALICO_SYSTEM) else { return Uptake::default() };
    let settled = rollouts.iter().all(|(key, rollout)| {
        // A view from before the operator's last write says nothing of it.
        let written = context.applier.last_version(key);
        rollout.complete() && !written.is_some_and(|written| rollout.older_than(&written))
    });
    let templates = rollouts.into_iter().map(|(_, rollout)| rollout.hashes);
    // Only who mounts the bundle carries this one.
    let system = hash::annotation("system");
    Uptake { settled, templates: templates.filter(|hashes| hashes.contains_key(&system)).collect() }
}
