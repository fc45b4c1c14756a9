//! What may reach guardian, and what guardian may reach.

use std::net::IpAddr;

use chimera_crds::projectcalico::{EntityRule, NetworkPolicy, NetworkPolicySpec, Rule};

use crate::cluster_connection::{Address, ClusterConnectionConfig};
use crate::names::{CALICO_SYSTEM, GOLDMANE, GOLDMANE_PORT, GUARDIAN, GUARDIAN_PORT};
use crate::render::tiered::{self, BOTH};

/// The policy.
pub(super) fn guardian(config: &ClusterConnectionConfig) -> NetworkPolicy {
    let spec = NetworkPolicySpec {
        order: tiered::first(),
        selector: Some(tiered::application(GUARDIAN)),
        types: tiered::types(BOTH),
        ingress: Some(vec![from_goldmane()]),
        egress: Some(egress(config)),
        ..NetworkPolicySpec::default()
    };
    tiered::policy(CALICO_SYSTEM, "guardian-access", spec)
}

/// Goldmane sends flows to the managing cluster.
fn from_goldmane() -> Rule {
    let source = EntityRule { selector: Some(tiered::application(GOLDMANE)), ..EntityRule::default() };
    let destination = EntityRule { ports: tiered::ports(&[GUARDIAN_PORT]), ..EntityRule::default() };
    Rule { source: Some(source), ..tiered::tcp_to(destination) }
}

fn egress(config: &ClusterConnectionConfig) -> Vec<Rule> {
    let goldmane = EntityRule {
        selector: Some(tiered::application(GOLDMANE)),
        ports: tiered::ports(&[GOLDMANE_PORT]),
        ..EntityRule::default()
    };
    let mut rules = tiered::to_dns(config.installation.cluster.provider);
    rules.extend([tiered::kubernetes_api(), goldmane].map(tiered::tcp_to));
    rules.extend(tiered::to_stated_api(&config.installation.cluster));
    match config.proxy() {
        // Only the proxy knows which way it goes from there.
        Some(None) => rules.push(tiered::tcp_to(EntityRule::default())),
        Some(Some(proxy)) => rules.push(tiered::tcp_to(at(&proxy))),
        None => rules.push(tiered::tcp_to(at(&config.address))),
    }
    rules
}

/// An address; of a name only the port is known here.
fn at(address: &Address) -> EntityRule {
    let net = address.ip().map(|ip| match ip {
        IpAddr::V4(ip) => format!("{ip}/32"),
        IpAddr::V6(ip) => format!("{ip}/128"),
    });
    EntityRule { nets: net.map(|net| vec![net]), ports: tiered::ports(&[address.port()]), ..EntityRule::default() }
}
