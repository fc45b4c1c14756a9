//! `spec.componentResources`: requests and limits of a component's main container.

use chimera_crds::installation::{ComponentName, ComponentResource};
use serde_json::{Value, json};

use super::installation::{daemon_set, deployment};
use super::{Override, workload};
use crate::names::{KUBE_CONTROLLERS, NODE, NODE_WINDOWS, TYPHA};
use crate::object::Object;

/// One entry.
pub(super) fn of(entry: &ComponentResource) -> Override {
    let (target, container) = match entry.component_name {
        ComponentName::Node => (daemon_set(NODE), NODE),
        ComponentName::Typha => (deployment(TYPHA), TYPHA),
        ComponentName::KubeControllers => (deployment(KUBE_CONTROLLERS), KUBE_CONTROLLERS),
        ComponentName::NodeWindows => (daemon_set(NODE_WINDOWS), "node"),
        ComponentName::FelixWindows => (daemon_set(NODE_WINDOWS), "felix"),
        ComponentName::ConfdWindows => (daemon_set(NODE_WINDOWS), "confd"),
    };
    let wanted = json!([{"name": container, "resources": entry.resource_requirements}]);
    Override { field: "spec.componentResources".into(), target, wanted, lay_on }
}

fn lay_on(object: &mut Object, wanted: &Value) {
    if let Some(Value::Object(pod)) = object.pod_template_mut().and_then(|template| template.get_mut("spec")) {
        workload::containers(pod, "containers", wanted);
    }
}
