//! The tier of the operator's network policies, which stands before those that users make. What it decides about, nobody
//! loses by accident: it is as much the user's as the operator's, and so is the policy that keeps the DNS in reach.

use std::collections::BTreeMap;

use chimera_crds::installation::Provider;
use chimera_crds::projectcalico::{ApiGroup, EntityRule, NetworkPolicy, NetworkPolicySpec, Rule, Tier, TierSpec};

use super::Error;
use super::objects::Objects;
use super::tiered::{self, ALLOW, BOTH, DENY, PASS};
use crate::component::Component;
use crate::following::Following as _;
use crate::names::{CALICO_SYSTEM, TIER};
use crate::tiers::TiersConfig;

/// Name of the component.
pub const COMPONENT: &str = "tiers";

/// Name of the policy that keeps the DNS in reach, in its namespace.
pub const CLUSTER_DNS: &str = "calico-system.cluster-dns";

/// Marks a tier that is no user's.
const SYSTEM_TIER: &str = "projectcalico.org/system-tier";
const ORDER: u16 = 100;

/// Renders the component.
///
/// # Errors
/// If an object cannot be turned into JSON.
pub fn component(config: &TiersConfig) -> Result<Component, Error> {
    let mut objects = Objects::default();
    objects.create_calico(&tier())?;
    objects.create_calico(&cluster_dns(config.installation().cluster.provider))?;
    Ok(objects.component(COMPONENT).shared())
}

fn tier() -> Tier {
    let spec = TierSpec { order: Some(ORDER.into()), default_action: Some(DENY.into()), ..TierSpec::default() };
    let mut tier = Tier::new(ApiGroup::V3, TIER, spec);
    tier.metadata.labels = Some(BTreeMap::from([(SYSTEM_TIER.into(), "true".into())]));
    tier
}

/// What Calico runs may ask the DNS whatever users' policies say; all others are left to those.
fn cluster_dns(provider: Provider) -> NetworkPolicy {
    let (namespace, selector) = tiered::dns(provider);
    let calico = EntityRule {
        selector: Some(format!("projectcalico.org/namespace in {{'{CALICO_SYSTEM}'}}")),
        namespace_selector: Some("all()".into()),
        ..EntityRule::default()
    };
    let spec = NetworkPolicySpec {
        order: tiered::first(),
        selector: Some(selector.into()),
        types: tiered::types(BOTH),
        ingress: Some(vec![Rule { source: Some(calico), ..tiered::any(ALLOW) }, tiered::any(PASS)]),
        egress: Some(vec![tiered::any(ALLOW)]),
        ..NetworkPolicySpec::default()
    };
    tiered::policy(namespace, "cluster-dns", spec)
}
