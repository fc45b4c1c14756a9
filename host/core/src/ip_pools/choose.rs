//! Which pools there shall be, with every field filled in.

use std::collections::BTreeSet;

use chimera_crds::installation::{AssignmentMode, EncapsulationType, IpPool, IpamType, Toggle};
use ipnet::IpNet;

use super::existing::Existing;
use super::parse_cidr;
use crate::object::Object;

const DEFAULT_V4: &str = "default-ipv4-ippool";
const DEFAULT_V6: &str = "default-ipv6-ippool";

/// What the choice depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sources<'a> {
    /// What the user lists; none if the user says nothing.
    pub(crate) stated: Option<&'a [IpPool]>,
    /// What the operator chose before.
    pub(crate) remembered: Option<&'a [IpPool]>,
    /// IPPools in the cluster.
    pub(crate) existing: &'a [Object],
    /// The cluster's pod CIDRs, if it says.
    pub(crate) pod_cidrs: &'a [String],
    /// The range to take if nothing else says.
    pub(crate) fallback: &'a str,
    /// Whether nodes exchange routes by BGP.
    pub(crate) bgp: bool,
    /// Who hands out addresses.
    pub(crate) ipam: IpamType,
}

/// The pools, complete. What is not a range stays as it is, for validation to name it.
pub(crate) fn choose(sources: &Sources<'_>) -> Vec<IpPool> {
    let existing = Existing::all(sources.existing);
    let pools = match (sources.stated, sources.remembered) {
        (Some(stated), _) => stated.to_vec(),
        (None, Some(remembered)) => remembered.iter().map(|pool| unstated(pool, &existing)).collect(),
        (None, None) if existing.is_empty() => fresh(sources),
        // The memory is lost, or pools were there before the operator: go on with its own, and leave the others alone.
        (None, None) => existing.iter().filter(|pool| pool.is_managed()).map(Existing::stated).collect(),
    };
    let mut names = Names::new(&pools, &existing);
    pools.into_iter().map(|pool| complete(pool, sources, &existing, &mut names)).collect()
}

/// What the operator chose once is only its own word: a pool that is there keeps what somebody changed in it.
fn unstated(pool: &IpPool, existing: &[Existing<'_>]) -> IpPool {
    let net = parse_cidr(&pool.cidr);
    let there = existing.iter().find(|there| pool.name.as_deref() == Some(there.name()) && net == Some(there.cidr));
    there.map_or_else(|| pool.clone(), Existing::stated)
}

/// The first range of each family.
fn fresh(sources: &Sources<'_>) -> Vec<IpPool> {
    let fallback = [sources.fallback.to_owned()];
    let cidrs = if sources.pod_cidrs.is_empty() { &fallback } else { sources.pod_cidrs };
    let mut families = BTreeSet::new();
    let nets = cidrs.iter().filter_map(|cidr| parse_cidr(cidr)).filter(|net| families.insert(is_v6(net)));
    nets.map(|net| IpPool { cidr: net.to_string(), ..IpPool::default() }).collect()
}

fn complete(pool: IpPool, sources: &Sources<'_>, existing: &[Existing<'_>], names: &mut Names) -> IpPool {
    let Some(net) = parse_cidr(&pool.cidr) else { return pool };
    // A pool that is there already keeps what the Installation does not state.
    let there = existing.iter().find(|other| match &pool.name {
        Some(name) => other.name() == name,
        None => other.cidr == net,
    });
    let pool = match there {
        Some(there) => lay(pool, there.stated()),
        None => pool,
    };
    let v6 = is_v6(&net);
    let name = pool.name.clone().unwrap_or_else(|| names.take(&net));
    let defaults = IpPool {
        name: Some(name),
        cidr: net.to_string(),
        encapsulation: Some(encapsulation(v6, sources)),
        nat_outgoing: Some(if v6 { Toggle::Disabled } else { Toggle::Enabled }),
        node_selector: Some("all()".into()),
        block_size: Some(if v6 { 122 } else { 26 }),
        disable_bgp_export: Some(false),
        disable_new_allocations: Some(false),
        allowed_uses: Some(vec!["Workload".into(), "Tunnel".into()]),
        assignment_mode: Some(AssignmentMode::Automatic),
    };
    IpPool { cidr: net.to_string(), ..lay(pool, defaults) }
}

/// The first pool with what it lacks taken from the second.
fn lay(pool: IpPool, below: IpPool) -> IpPool {
    IpPool {
        name: pool.name.or(below.name),
        cidr: pool.cidr,
        encapsulation: pool.encapsulation.or(below.encapsulation),
        nat_outgoing: pool.nat_outgoing.or(below.nat_outgoing),
        node_selector: pool.node_selector.filter(|selector| !selector.is_empty()).or(below.node_selector),
        block_size: pool.block_size.or(below.block_size),
        disable_bgp_export: pool.disable_bgp_export.or(below.disable_bgp_export),
        disable_new_allocations: pool.disable_new_allocations.or(below.disable_new_allocations),
        allowed_uses: pool.allowed_uses.filter(|uses| !uses.is_empty()).or(below.allowed_uses),
        assignment_mode: pool.assignment_mode.or(below.assignment_mode),
    }
}

fn encapsulation(v6: bool, sources: &Sources<'_>) -> EncapsulationType {
    match (sources.bgp, v6, sources.ipam) {
        (true, false, _) => EncapsulationType::Ipip,
        // Routes to the ranges that Kubernetes gave to nodes are the platform's, and VXLAN needs Calico's IPAM.
        (true, true, _) | (false, _, IpamType::HostLocal) => EncapsulationType::None,
        (false, ..) => EncapsulationType::Vxlan,
    }
}

fn is_v6(net: &IpNet) -> bool {
    matches!(net, IpNet::V6(_))
}

/// Names that are taken.
struct Names(BTreeSet<String>);

impl Names {
    fn new(pools: &[IpPool], existing: &[Existing<'_>]) -> Self {
        let stated = pools.iter().filter_map(|pool| pool.name.clone());
        Self(stated.chain(existing.iter().map(|pool| pool.name().to_owned())).collect())
    }

    /// The default name of the family, else one made from the range.
    fn take(&mut self, net: &IpNet) -> String {
        let default = if is_v6(net) { DEFAULT_V6 } else { DEFAULT_V4 };
        let name = if self.0.contains(default) { made_of(net) } else { default.into() };
        self.0.insert(name.clone());
        name
    }
}

/// `10-2-0-0-16` for `10.2.0.0/16`.
fn made_of(net: &IpNet) -> String {
    let text = net.to_string();
    text.split([':', '.', '/']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}
