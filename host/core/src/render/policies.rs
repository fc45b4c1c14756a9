//! What may reach what in the namespace that Calico runs in, once the cluster takes policies in the operator's tier.

use chimera_crds::projectcalico::{NetworkPolicy, NetworkPolicySpec};

use super::Error;
use super::objects::Objects;
use super::tiered::{self, BOTH};
use crate::component::Component;
use crate::installation::config::{Cluster, InstallationConfig};
use crate::names::{API_SERVER, CALICO_SYSTEM, KUBE_CONTROLLERS};

/// Name of the component.
pub const COMPONENT: &str = "policies";

/// Renders the component.
pub(super) fn component(config: &InstallationConfig) -> Result<Component, Error> {
    let mut objects = Objects::default();
    objects.create_calico(&default_deny())?;
    objects.create_calico(&kube_controllers(&config.cluster))?;
    Ok(objects.component(COMPONENT))
}

/// Whatever no other policy of the tier allows is denied. The API server answers everybody until it has a policy of its own.
fn default_deny() -> NetworkPolicy {
    let spec = NetworkPolicySpec {
        selector: Some(format!("k8s-app != '{API_SERVER}'")),
        types: tiered::types(BOTH),
        ..NetworkPolicySpec::default()
    };
    tiered::policy(CALICO_SYSTEM, "default-deny", spec)
}

/// They ask the DNS and the Kubernetes API, and nobody asks them.
fn kube_controllers(cluster: &Cluster) -> NetworkPolicy {
    let mut egress = tiered::to_dns(cluster.provider);
    egress.push(tiered::tcp_to(tiered::kubernetes_api_ports()));
    egress.extend(tiered::to_stated_api(cluster));
    let spec = NetworkPolicySpec {
        order: tiered::first(),
        selector: Some(tiered::application(KUBE_CONTROLLERS)),
        types: tiered::types(["Egress", "Ingress"]),
        egress: Some(egress),
        ..NetworkPolicySpec::default()
    };
    tiered::policy(CALICO_SYSTEM, "kube-controller-access", spec)
}
