//! Objects that have no purpose once every node has moved.

use super::names::{CNI_PLUGIN, CONFIG, KUBE_CONTROLLERS, KUBE_SYSTEM, NODE, TYPHA, kube_controllers, node, typha};
use super::rights;
use crate::object::ObjectKey;

/// Workloads that the operator's have replaced. The DaemonSet goes last: it says that there is an install to take over.
pub fn replaced() -> Vec<(ObjectKey, &'static str)> {
    vec![
        (kube_controllers(), "deployments"),
        (typha(), "deployments"),
        (ObjectKey::namespaced("v1", "Service", KUBE_SYSTEM, TYPHA), "services"),
        (ObjectKey::namespaced("policy/v1", "PodDisruptionBudget", KUBE_SYSTEM, KUBE_CONTROLLERS), BUDGETS),
        (ObjectKey::namespaced("policy/v1", "PodDisruptionBudget", KUBE_SYSTEM, TYPHA), BUDGETS),
        (node(), "daemonsets"),
    ]
}

/// What the workloads used, to be deleted once they are gone. Roles with the operator's names are the operator's now.
pub fn leftovers() -> Vec<(ObjectKey, &'static str)> {
    let accounts = [NODE, CNI_PLUGIN, KUBE_CONTROLLERS, TYPHA];
    let accounts =
        accounts.map(|name| (ObjectKey::namespaced("v1", "ServiceAccount", KUBE_SYSTEM, name), "serviceaccounts"));
    let config = ObjectKey::namespaced("v1", "ConfigMap", KUBE_SYSTEM, CONFIG);
    let workloads = replaced().into_iter().filter(|(key, _)| *key != node());
    let copies = rights::copies().into_iter().map(|key| {
        let plural = if key.kind == "ClusterRole" { "clusterroles" } else { "clusterrolebindings" };
        (key, plural)
    });
    workloads.chain(accounts).chain([(config, "configmaps")]).chain(copies).collect()
}

const BUDGETS: &str = "poddisruptionbudgets";
