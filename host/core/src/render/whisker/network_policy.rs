//! To whom Whisker may talk. A forwarded port comes from its own node, which policies let through.

use chimera_crds::projectcalico::{EntityRule, NetworkPolicy, NetworkPolicySpec};

use crate::names::{CALICO_SYSTEM, GOLDMANE, GOLDMANE_PORT, WHISKER};
use crate::render::tiered;
use crate::whisker::WhiskerConfig;

/// The policy.
pub(super) fn whisker(config: &WhiskerConfig) -> NetworkPolicy {
    let goldmane = EntityRule {
        ports: tiered::ports(&[GOLDMANE_PORT]),
        selector: Some(tiered::application(GOLDMANE)),
        ..EntityRule::default()
    };
    let dns = tiered::to_dns(config.installation.cluster.provider);
    let spec = NetworkPolicySpec {
        order: tiered::first(),
        selector: Some(tiered::application(WHISKER)),
        types: tiered::types(tiered::BOTH),
        egress: Some(std::iter::once(tiered::tcp_to(goldmane)).chain(dns).collect()),
        ..NetworkPolicySpec::default()
    };
    tiered::policy(CALICO_SYSTEM, WHISKER, spec)
}
