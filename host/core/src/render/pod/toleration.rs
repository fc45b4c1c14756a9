//! Taints that pods stay on, or come to, a node in spite of.

use chimera_crds::installation::Provider;
use k8s_openapi::api::core::v1::Toleration;

use super::some;
use crate::installation::config::InstallationConfig;

const NO_SCHEDULE: &str = "NoSchedule";

/// Every taint, for what must run on each node.
pub(crate) fn everything() -> Option<Vec<Toleration>> {
    Some(vec![critical_addons(), any(NO_SCHEDULE), any("NoExecute")])
}

/// What the user says of the control plane, and what its nodes usually carry.
pub(crate) fn control_plane(config: &InstallationConfig) -> Option<Vec<Toleration>> {
    let usual = [taint("node-role.kubernetes.io/master"), taint("node-role.kubernetes.io/control-plane")];
    let mut all: Vec<Toleration> = Vec::new();
    let wanted = config.spec.control_plane_tolerations.iter().flatten().cloned();
    for toleration in wanted.chain(usual).chain([critical_addons()]).chain(platform(config.cluster.provider)) {
        if !all.contains(&toleration) {
            all.push(toleration);
        }
    }
    some(all)
}

/// The same, word by word as pods that answer the Kubernetes API servers have it already.
pub(crate) fn servers(config: &InstallationConfig) -> Option<Vec<Toleration>> {
    let usual = [taint("node-role.kubernetes.io/master"), taint("node-role.kubernetes.io/control-plane")];
    let wanted = config.spec.control_plane_tolerations.iter().flatten().cloned();
    Some(wanted.chain(usual).chain(platform(config.cluster.provider)).collect())
}

/// Typha must run before nodes are ready, since it is what makes them so. What the user says takes the place of all of it.
pub(crate) fn typha(config: &InstallationConfig) -> Option<Vec<Toleration>> {
    if let Some(wanted) = config.spec.control_plane_tolerations.as_ref().filter(|wanted| !wanted.is_empty()) {
        return Some(wanted.clone());
    }
    let before_ready = [
        "node-role.kubernetes.io/master",
        "node-role.kubernetes.io/control-plane",
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/network-unavailable",
        "node.cloudprovider.kubernetes.io/uninitialized",
    ];
    let exists = before_ready.map(|key| Toleration { operator: Some("Exists".into()), ..taint(key) });
    Some([critical_addons()].into_iter().chain(exists).chain(platform(config.cluster.provider)).collect())
}

/// GKE taints its nodes with processors of the other architecture.
fn platform(provider: Provider) -> Option<Toleration> {
    (provider == Provider::Gke).then(|| Toleration {
        operator: Some("Equal".into()),
        value: Some("arm64".into()),
        ..taint("kubernetes.io/arch")
    })
}

fn taint(key: &str) -> Toleration {
    Toleration { key: Some(key.into()), effect: Some(NO_SCHEDULE.into()), ..Toleration::default() }
}

fn any(effect: &str) -> Toleration {
    Toleration { operator: Some("Exists".into()), effect: Some(effect.into()), ..Toleration::default() }
}

fn critical_addons() -> Toleration {
    Toleration { key: Some("CriticalAddonsOnly".into()), operator: Some("Exists".into()), ..Toleration::default() }
}
