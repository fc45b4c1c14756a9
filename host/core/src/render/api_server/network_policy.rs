//! What the API server may reach, and that everybody may reach it: whoever asks it was let through by the Kubernetes API
//! servers, which may have any address.

use chimera_crds::projectcalico::{EntityRule, NetworkPolicy, NetworkPolicySpec, Rule};

use crate::installation::config::Cluster;
use crate::names::{API_SERVER, CALICO_SYSTEM};
use crate::render::tiered::{self, BOTH, PASS};

/// Where containers of its pods listen, those that plugins add included.
const PORTS: [u16; 4] = [443, 5443, 8080, 10443];
/// What containers that plugins add to its pods ask, as namespace, application and port.
const OTHERS: [(&str, &str, u16); 3] = [
    ("tigera-prometheus", "tigera-prometheus", 9095),
    ("tigera-dex", "tigera-dex", 5556),
    ("tigera-elasticsearch", "tigera-linseed", 8444),
];

/// The policy.
pub(super) fn api_server(cluster: &Cluster) -> NetworkPolicy {
    let spec = NetworkPolicySpec {
        order: tiered::first(),
        selector: Some(tiered::application(API_SERVER)),
        types: tiered::types(BOTH),
        ingress: Some(["0.0.0.0/0", "::/0"].map(from).into()),
        egress: Some(egress(cluster)),
        ..NetworkPolicySpec::default()
    };
    tiered::policy(CALICO_SYSTEM, "apiserver-access", spec)
}

fn from(net: &str) -> Rule {
    let source = EntityRule { nets: Some(vec![net.into()]), ..EntityRule::default() };
    let own = EntityRule { ports: tiered::ports(&PORTS), ..EntityRule::default() };
    Rule { source: Some(source), ..tiered::tcp_to(own) }
}

fn egress(cluster: &Cluster) -> Vec<Rule> {
    let mut rules = tiered::to_dns(cluster.provider);
    rules.push(tiered::tcp_to(tiered::kubernetes_api()));
    rules.extend(OTHERS.map(|(namespace, application, port)| {
        let pods = tiered::pods(namespace, tiered::application(application));
        tiered::tcp_to(EntityRule { ports: tiered::ports(&[port]), ..pods })
    }));
    rules.extend(tiered::to_stated_api(cluster));
    rules.push(tiered::any(PASS));
    rules
}
