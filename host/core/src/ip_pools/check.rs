//! What is wrong with the pools that are asked for.

use std::collections::BTreeSet;

use chimera_crds::installation::{EncapsulationType, IpPool, IpamType};
use ipnet::IpNet;

use super::existing::Existing;
use super::parse_cidr;
use crate::names::is_object_name;
use crate::object::Object;
use crate::selector;

/// What pools must fit into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'a> {
    /// IPPools in the cluster.
    pub(crate) existing: &'a [Object],
    /// Ranges of Services, if the Installation says.
    pub(crate) service_cidrs: &'a [String],
    /// Who hands out addresses.
    pub(crate) ipam: IpamType,
    /// Whether nobody programs routes for IP-in-IP.
    pub(crate) no_ipip_routes: bool,
}

/// Every problem: path below the list of pools, and what is wrong.
pub(crate) fn check(pools: &[IpPool], around: &Surroundings<'_>) -> Vec<(String, String)> {
    let mut problems = Vec::new();
    let existing = Existing::all(around.existing);
    let nets: Vec<Option<IpNet>> = pools.iter().map(|pool| parse_cidr(&pool.cidr)).collect();
    for (index, (pool, net)) in pools.iter().zip(&nets).enumerate() {
        let mut wrong = |field: &str, detail: String| problems.push((format!("[{index}].{field}"), detail));
        let Some(net) = net else {
            wrong("cidr", not_a_cidr(&pool.cidr));
            continue;
        };
        reserved(net, &mut wrong);
        block_size(pool, net, &mut wrong);
        encapsulation(pool, net, around, &mut wrong);
        uses(pool, &mut wrong);
        node_selector(pool, around, &mut wrong);
        against_existing(pool, net, &existing, pools, &mut wrong);
        services(net, around, &mut wrong);
        let before = pools.iter().zip(&nets).take(index);
        for (at, (other, other_net)) in before.enumerate() {
            if other_net.is_some_and(|other| overlap(net, &other)) {
                wrong("cidr", format!("{net} overlaps {} of pool [{at}]", other.cidr));
            }
        }
    }
    names(pools, &mut problems);
    families(&nets, around, &mut problems);
    problems
}

fn not_a_cidr(text: &str) -> String {
    format!("{text:?} is no range in CIDR notation, such as 192.168.0.0/16 or fd00:10:10::/48")
}

/// Addresses that pods cannot have.
const RESERVED: [(&str, &str); 6] = [
    ("127.0.0.0/8", "the loopback addresses"),
    ("169.254.0.0/16", "the link-local addresses"),
    ("224.0.0.0/4", "the multicast addresses"),
    ("::1/128", "the loopback address"),
    ("fe80::/10", "the link-local addresses"),
    ("ff00::/8", "the multicast addresses"),
];

fn reserved(net: &IpNet, wrong: &mut impl FnMut(&str, String)) {
    let found = RESERVED.into_iter().find(|(range, _)| parse_cidr(range).is_some_and(|range| overlap(&range, net)));
    if let Some((range, what)) = found {
        wrong("cidr", format!("{net} overlaps {what} {range}, which no pod can have"));
    }
}

fn block_size(pool: &IpPool, net: &IpNet, wrong: &mut impl FnMut(&str, String)) {
    let Some(size) = pool.block_size else { return };
    let (low, high) = match net {
        IpNet::V4(_) => (20, 32),
        IpNet::V6(_) => (116, 128),
    };
    let prefix = i32::from(net.prefix_len());
    if !(low..=high).contains(&size) {
        wrong("blockSize", format!("{size} is not between {low} and {high}"));
    } else if size < prefix {
        let use_ = match prefix.max(low) {
            low if low >= high => high.to_string(),
            low => format!("{low} to {high}"),
        };
        wrong("blockSize", format!("a block of /{size} does not fit into {net}; use {use_}"));
    }
}

fn encapsulation(pool: &IpPool, net: &IpNet, around: &Surroundings<'_>, wrong: &mut impl FnMut(&str, String)) {
    use EncapsulationType::{Ipip, IpipCrossSubnet, Vxlan, VxlanCrossSubnet};
    let Some(encapsulation) = pool.encapsulation else { return };
    let (ipip, vxlan) =
        (matches!(encapsulation, Ipip | IpipCrossSubnet), matches!(encapsulation, Vxlan | VxlanCrossSubnet));
    if ipip && matches!(net, IpNet::V6(_)) {
        wrong("encapsulation", "IP-in-IP carries IPv4 only; use None, VXLAN or VXLANCrossSubnet".into());
    }
    if ipip && around.no_ipip_routes {
        let detail =
            "IP-in-IP needs routes: enable spec.calicoNetwork.bgp, or set clusterRoutingMode to Felix or FelixIPIPOnly";
        wrong("encapsulation", detail.into());
    }
    if vxlan && around.ipam == IpamType::HostLocal {
        wrong("encapsulation", "VXLAN needs Calico's IPAM; with HostLocal use None, IPIP or IPIPCrossSubnet".into());
    }
}

fn uses(pool: &IpPool, wrong: &mut impl FnMut(&str, String)) {
    let uses = pool.allowed_uses.as_deref().unwrap_or_default();
    for unknown in uses.iter().filter(|one| !matches!(one.as_str(), "Workload" | "Tunnel" | "LoadBalancer")) {
        wrong("allowedUses", format!("{unknown:?} is unknown; use Workload, Tunnel or LoadBalancer"));
    }
    if uses.len() > 1 && uses.iter().any(|one| one == "LoadBalancer") {
        wrong("allowedUses", "LoadBalancer cannot be combined with other uses; give it a pool of its own".into());
    }
}

fn node_selector(pool: &IpPool, around: &Surroundings<'_>, wrong: &mut impl FnMut(&str, String)) {
    let selector = pool.node_selector.as_deref().unwrap_or("all()");
    if around.ipam == IpamType::HostLocal && selector != "all()" {
        wrong("nodeSelector", format!("{selector:?} has no effect with HostLocal, which knows no pools; use all()"));
    } else if let Err(error) = selector::check(selector) {
        wrong("nodeSelector", format!("{selector:?} is no selector of nodes: {error}"));
    }
}

/// The range and the size of blocks of a pool cannot change, and no two pools share addresses.
fn against_existing(
    pool: &IpPool,
    net: &IpNet,
    existing: &[Existing<'_>],
    pools: &[IpPool],
    wrong: &mut impl FnMut(&str, String),
) {
    let name = pool.name.as_deref();
    for there in existing {
        if name == Some(there.name()) {
            let stated = there.stated();
            if there.cidr != *net {
                wrong("cidr", format!("IPPool {} has {}, which cannot change to {net}", there.name(), there.cidr));
            }
            if let (Some(have), Some(want)) = (stated.block_size, pool.block_size)
                && have != want
            {
                wrong("blockSize", format!("IPPool {} has {have}, which cannot change to {want}", there.name()));
            }
        } else if overlap(&there.cidr, net) && !goes_away(there, pools) {
            wrong("cidr", format!("{net} overlaps {} of IPPool {}", there.cidr, there.name()));
        }
    }
}

/// Whether the operator will delete a pool, or a further entry of the list is about it.
fn goes_away(there: &Existing<'_>, pools: &[IpPool]) -> bool {
    there.is_managed() || pools.iter().any(|pool| pool.name.as_deref() == Some(there.name()))
}

fn services(net: &IpNet, around: &Surroundings<'_>, wrong: &mut impl FnMut(&str, String)) {
    for services in around.service_cidrs.iter().filter_map(|cidr| parse_cidr(cidr)) {
        if overlap(&services, net) {
            wrong("cidr", format!("{net} overlaps {services} of spec.serviceCIDRs"));
        }
    }
}

/// Pools for pods outside what the platform says that pods have: path below the list of pools, and what is odd.
///
/// Some platforms only say where their own plugin would take addresses from, so this stops nothing.
pub(crate) fn outside(pools: &[IpPool], pod_cidrs: &[String]) -> Vec<(String, String)> {
    let platform: Vec<IpNet> = pod_cidrs.iter().filter_map(|cidr| parse_cidr(cidr)).collect();
    let for_pods =
        |pool: &IpPool| pool.allowed_uses.as_deref().is_none_or(|uses| uses.iter().any(|one| one == "Workload"));
    let odd = |(index, pool): (usize, &IpPool)| {
        let net =
            parse_cidr(&pool.cidr).filter(|net| for_pods(pool) && !platform.iter().any(|cidr| cidr.contains(net)))?;
        let detail = format!("{net} is not within the cluster's pod CIDR {}", pod_cidrs.join(", "));
        Some((format!("[{index}].cidr"), detail))
    };
    let pools = if platform.is_empty() { &[] } else { pools };
    pools.iter().enumerate().filter_map(odd).collect()
}

/// Pools that overlap what the cluster says of its Services: path below the list of pools, and what is odd.
pub(crate) fn in_services(pools: &[IpPool], services: &[String]) -> Vec<(String, String)> {
    let services: Vec<IpNet> = services.iter().filter_map(|cidr| parse_cidr(cidr)).collect();
    let odd = |(index, pool): (usize, &IpPool)| {
        let net = parse_cidr(&pool.cidr)?;
        let range = services.iter().find(|range| overlap(range, &net))?;
        Some((format!("[{index}].cidr"), format!("{net} overlaps {range}, which is the cluster's for Services")))
    };
    pools.iter().enumerate().filter_map(odd).collect()
}

fn names(pools: &[IpPool], problems: &mut Vec<(String, String)>) {
    let mut seen = BTreeSet::new();
    for (index, name) in pools.iter().enumerate().filter_map(|(index, pool)| Some((index, pool.name.as_deref()?))) {
        let mut wrong = |detail| problems.push((format!("[{index}].name"), detail));
        if !is_object_name(name) {
            wrong(format!("{name:?} cannot name an IPPool: give lower-case letters, digits, hyphens and full stops"));
        }
        if !seen.insert(name) {
            wrong(format!("{name} is the name of another pool of the list"));
        }
    }
}

/// HostLocal takes addresses from the node's range: a pool only describes a family.
fn families(nets: &[Option<IpNet>], around: &Surroundings<'_>, problems: &mut Vec<(String, String)>) {
    if around.ipam != IpamType::HostLocal {
        return;
    }
    let mut seen = BTreeSet::new();
    for (index, net) in nets.iter().enumerate().filter_map(|(index, net)| Some((index, (*net)?))) {
        if !seen.insert(matches!(net, IpNet::V6(_))) {
            let detail = "with HostLocal there is one pool for each IP family".to_owned();
            problems.push((format!("[{index}].cidr"), detail));
        }
    }
}

fn overlap(a: &IpNet, b: &IpNet) -> bool {
    a.contains(b) || b.contains(a)
}
