//! Whether the operator's DaemonSet is kept off nodes that the manifest install serves.

use chimera_core::component::{Component, Extended};
use chimera_core::extensions::ExtensionError;
use chimera_core::installation::config::InstallationConfig;
use chimera_core::installation::policies::policies;
use chimera_core::merge;
use chimera_core::migrate::{confine, is_confined};
use chimera_core::names::{CALICO_SYSTEM, NODE};
use chimera_core::object::ObjectKey;
use chimera_core::policies::finish;
use serde_json::Value;

use crate::context::Context;

/// Confines the component while nodes move. Afterwards the requirement, which then holds for every node, stays until its
/// pods are replaced for another reason, so that they are not for this one.
pub(super) async fn node(
    context: &Context,
    config: &InstallationConfig,
    moving: bool,
    component: Result<Component<Extended>, ExtensionError>,
) -> Result<Component<Extended>, ExtensionError> {
    let component = component?;
    if moving {
        return Ok(confine(component));
    }
    let key = daemon_set();
    // What cannot be read now is not there or is read by apply, which tells.
    let Ok(Some(live)) = context.reader.get(&key, "daemonsets").await else { return Ok(component) };
    if !is_confined(&live) {
        return Ok(component);
    }
    let confined = confine(component.clone());
    Ok(if rolls(&live, &confined, config) { component } else { confined })
}

pub(super) fn daemon_set() -> ObjectKey {
    ObjectKey::namespaced("apps/v1", "DaemonSet", CALICO_SYSTEM, NODE)
}

/// Whether pods would be replaced anyway.
fn rolls(live: &Value, component: &Component<Extended>, config: &InstallationConfig) -> bool {
    let (finished, _) = finish(component.clone(), &policies(config));
    let Some(desired) = finished.objects().iter().find(|object| *object.key() == daemon_set()) else { return false };
    match merge::plan(live, desired, false) {
        merge::Plan::Unchanged => false,
        merge::Plan::Update(update) => update.changes.iter().any(|change| change.pointer.starts_with("/spec/template")),
        merge::Plan::Recreate(_) => true,
    }
}
