//! Only the Kubernetes API servers reach the webhooks. They may have any address and may come through a tunnel, but no pod
//! of the pod network is one.

use chimera_crds::projectcalico::{EntityRule, NetworkPolicy, NetworkPolicySpec, Rule};

use super::PORT;
use crate::installation::config::Cluster;
use crate::names::{CALICO_SYSTEM, WEBHOOKS};
use crate::render::tiered::{self, BOTH, DENY, PASS};

/// The end of the tunnel that some platforms put between their API servers and the cluster.
const TUNNEL: &str = "app == 'konnectivity-agent' || k8s-app == 'konnectivity-agent'";

/// The policy.
pub(in crate::render) fn webhooks(cluster: &Cluster) -> NetworkPolicy {
    let mut egress = tiered::to_dns(cluster.provider);
    egress.push(tiered::tcp_to(tiered::kubernetes_api()));
    egress.extend(tiered::to_stated_api(cluster));
    egress.push(tiered::any(PASS));
    let spec = NetworkPolicySpec {
        order: tiered::first(),
        selector: Some(tiered::application(WEBHOOKS)),
        types: tiered::types(BOTH),
        ingress: Some(ingress()),
        egress: Some(egress),
        ..NetworkPolicySpec::default()
    };
    tiered::policy(CALICO_SYSTEM, WEBHOOKS, spec)
}

fn ingress() -> Vec<Rule> {
    let own = EntityRule { ports: tiered::ports(&[PORT]), ..EntityRule::default() };
    let from = |source| Rule { source: Some(source), ..tiered::tcp_to(own.clone()) };
    let pods = EntityRule {
        selector: Some("has(projectcalico.org/orchestrator)".into()),
        namespace_selector: Some("all()".into()),
        ..EntityRule::default()
    };
    vec![
        from(tiered::kubernetes_api()),
        from(tiered::pods("kube-system", TUNNEL)),
        Rule { source: Some(pods), ..tiered::any(DENY) },
        tiered::tcp_to(own.clone()),
    ]
}
