//! Who may talk to the parts of the mesh, and to whom they may talk: everything else in their namespace is denied.

use chimera_crds::installation::Provider;
use chimera_crds::projectcalico::{EntityRule, NetworkPolicy, NetworkPolicySpec, ServiceMatch};

use crate::istio::{CNI, ISTIOD, ZTUNNEL};
use crate::names::CALICO_SYSTEM;
use crate::render::tiered::{self, BOTH};

/// Where istiod gives out certificates and configuration, and where it answers webhooks.
const ISTIOD_PORTS: [u16; 2] = [15012, 15017];

/// All of them.
pub(super) fn all(provider: Provider) -> [NetworkPolicy; 3] {
    [istiod(), agent(), ztunnel(provider)]
}

/// Every proxy of the cluster and the Kubernetes API talk to it.
fn istiod() -> NetworkPolicy {
    let ports = EntityRule { ports: tiered::ports(&ISTIOD_PORTS), ..EntityRule::default() };
    let spec = NetworkPolicySpec {
        selector: Some(tiered::application(ISTIOD.0)),
        types: tiered::types(BOTH),
        ingress: Some(vec![tiered::tcp_to(ports)]),
        egress: Some(vec![tiered::tcp_to(tiered::kubernetes_api_ports())]),
        ..NetworkPolicySpec::default()
    };
    tiered::policy(CALICO_SYSTEM, ISTIOD.0, spec)
}

/// Nobody talks to it.
fn agent() -> NetworkPolicy {
    let spec = NetworkPolicySpec {
        selector: Some(tiered::application(CNI.0)),
        types: tiered::types(BOTH),
        egress: Some(vec![tiered::tcp_to(tiered::kubernetes_api_ports())]),
        ..NetworkPolicySpec::default()
    };
    tiered::policy(CALICO_SYSTEM, CNI.0, spec)
}

/// The traffic that it carries is that of pods, which it sends and takes in their network namespaces.
fn ztunnel(provider: Provider) -> NetworkPolicy {
    let services = ServiceMatch { name: ISTIOD.0.into(), namespace: Some(CALICO_SYSTEM.into()) };
    let istiod = EntityRule { services: Some(services), ..EntityRule::default() };
    let egress = [tiered::tcp_to(istiod)].into_iter().chain(tiered::to_dns(provider)).collect();
    let spec = NetworkPolicySpec {
        selector: Some(tiered::application(ZTUNNEL.0)),
        types: tiered::types(BOTH),
        egress: Some(egress),
        ..NetworkPolicySpec::default()
    };
    tiered::policy(CALICO_SYSTEM, ZTUNNEL.0, spec)
}
