//! `spec.componentResources`: requests and limits of a component's main container.

use chimera_crds::installation::{ComponentName, ComponentResource};
use serde_json::{Value, json};

use super::installation::{daemon_set, deployment};
use super::{Override, workload};
use crate::names::{KUBE_CONTROLLERS, NODE, TYPHA};
use crate::object::Object;

/// One entry; none for a component that runs on Windows, which is no part of these workloads.
pub(super) fn of(entry: &ComponentResource) -> Option<Override> {
    let (target, container) = match entry.component_name {
        ComponentName::Node => (daemon_set(NODE), NODE),
        ComponentName::Typha => (deployment(TYPHA), TYPHA),
        ComponentName::KubeControllers => (deployment(KUBE_CONTROLLERS), KUBE_CONTROLLERS),
        ComponentName::NodeWindows | ComponentName::FelixWindows | ComponentName::ConfdWindows => return None,
    };
    let wanted = json!([{"name": container, "resources": entry.resource_requirements}]);
    Some(Override { field: "spec.componentResources".into(), target, wanted, lay_on })
}

fn lay_on(object: &mut Object, wanted: &Value) {
    if let Some(Value::Object(pod)) = object.pod_template_mut().and_then(|template| template.get_mut("spec")) {
        workload::containers(pod, "containers", wanted);
    }
}
