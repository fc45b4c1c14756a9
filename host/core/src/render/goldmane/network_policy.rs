//! Who may talk to Goldmane, and to whom it may talk.

use chimera_crds::projectcalico::{EntityRule, NetworkPolicy, NetworkPolicySpec, Rule};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::goldmane::GoldmaneConfig;
use crate::names::{CALICO_SYSTEM, GOLDMANE, GOLDMANE_PORT, GUARDIAN, GUARDIAN_PORT};
use crate::render::tiered;

/// The policy. Nodes have no label to go by, so who connects is left to certificates.
pub(super) fn goldmane(config: &GoldmaneConfig) -> NetworkPolicy {
    let metrics = config.metrics_port().map(IntOrString::Int);
    let ports = [IntOrString::Int(GOLDMANE_PORT.into())].into_iter().chain(metrics);
    let spec = NetworkPolicySpec {
        order: tiered::first(),
        selector: Some(tiered::application(GOLDMANE)),
        types: tiered::types(tiered::BOTH),
        ingress: Some(ports.map(to_port).collect()),
        egress: Some(egress(config)),
        ..NetworkPolicySpec::default()
    };
    tiered::policy(CALICO_SYSTEM, GOLDMANE, spec)
}

fn to_port(port: IntOrString) -> Rule {
    tiered::tcp_to(EntityRule { ports: Some(vec![port]), ..EntityRule::default() })
}

fn egress(config: &GoldmaneConfig) -> Vec<Rule> {
    let mut rules = tiered::to_dns(config.installation.cluster.provider);
    rules.push(tiered::tcp_to(tiered::kubernetes_api()));
    rules.extend(tiered::to_stated_api(&config.installation.cluster));
    let guardian = EntityRule {
        ports: tiered::ports(&[GUARDIAN_PORT]),
        ..tiered::pods(CALICO_SYSTEM, tiered::application(GUARDIAN))
    };
    rules.extend(config.is_managed.then(|| tiered::tcp_to(guardian)));
    rules
}
