//! Override fields of the Installation. Deprecated ones come first, so that those named after a workload win.

use chimera_crds::installation::InstallationSpec;
use serde::Serialize;

use super::{Override, component_resources};
use crate::names::{CALICO_SYSTEM, CSI_NODE_DRIVER, KUBE_CONTROLLERS, NODE, NODE_WINDOWS, TYPHA};
use crate::object::ObjectKey;

/// All that the user set.
pub(super) fn overrides(spec: &InstallationSpec) -> Vec<Override> {
    let mut all: Vec<_> = spec.component_resources.iter().flatten().map(component_resources::of).collect();
    all.extend(workloads(spec));
    all
}

/// Those that are named after a workload and have its shape.
pub(super) fn workloads(spec: &InstallationSpec) -> Vec<Override> {
    let workloads = [
        of("calicoNodeDaemonSet", daemon_set(NODE), &spec.calico_node_daemon_set),
        of("calicoNodeWindowsDaemonSet", daemon_set(NODE_WINDOWS), &spec.calico_node_windows_daemon_set),
        of("csiNodeDriverDaemonSet", daemon_set(CSI_NODE_DRIVER), &spec.csi_node_driver_daemon_set),
        of("typhaDeployment", deployment(TYPHA), &spec.typha_deployment),
        of("typhaPodDisruptionBudget", budget(TYPHA), &spec.typha_pod_disruption_budget),
        of("calicoKubeControllersDeployment", deployment(KUBE_CONTROLLERS), &spec.calico_kube_controllers_deployment),
    ];
    workloads.into_iter().flatten().collect()
}

fn of<T: Serialize>(field: &str, target: ObjectKey, wanted: &Option<T>) -> Option<Override> {
    Override::shaped(field, target, wanted.as_ref())
}

/// A DaemonSet of Calico's.
pub(super) fn daemon_set(name: &str) -> ObjectKey {
    ObjectKey::namespaced("apps/v1", "DaemonSet", CALICO_SYSTEM, name)
}

/// A Deployment of Calico's.
pub(super) fn deployment(name: &str) -> ObjectKey {
    ObjectKey::namespaced("apps/v1", "Deployment", CALICO_SYSTEM, name)
}

fn budget(name: &str) -> ObjectKey {
    ObjectKey::namespaced("policy/v1", "PodDisruptionBudget", CALICO_SYSTEM, name)
}
