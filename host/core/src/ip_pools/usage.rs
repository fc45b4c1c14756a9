//! Pools that hand out addresses are never deleted, whatever the Installation says.

use chimera_crds::installation::IpPool;
use ipnet::IpNet;

use super::existing::Existing;
use super::parse_cidr;
use super::render::IpPools;
use crate::codes;
use crate::installation::inputs::InstallationInputs;
use crate::message::Message;
use crate::object::Object;

/// A block of addresses that Calico's IPAM took out of a pool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Its range, as `10.1.0.0/26`.
    pub cidr: String,
    /// Addresses of it that are in use; none where only a node has set its hand on it.
    pub allocated: usize,
}

/// What Calico's IPAM has handed out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Usage {
    /// All blocks.
    Known(Vec<Block>),
    /// They could not be read, for this reason.
    Unknown(String),
}

/// Pools to bring about once those in use are spared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// What is left to do.
    pub pools: IpPools,
    /// About each pool that stays, and each that cannot come because of it.
    pub messages: Vec<Message>,
}

/// Whether the operator looks after a pool that the Installation may have dropped, so that its usage matters.
pub fn drops_some(inputs: &InstallationInputs) -> bool {
    let status = inputs.installation.status.as_ref();
    let stated = inputs.installation.spec.calico_network.as_ref().and_then(|network| network.ip_pools.as_deref());
    let before = || status?.computed.as_ref()?.calico_network.as_ref()?.ip_pools.as_deref();
    let listed = stated.or_else(before).unwrap_or_default();
    let is_listed = |there: &Existing<'_>| {
        let same = |pool: &IpPool| match &pool.name {
            Some(name) => name == there.name(),
            None => parse_cidr(&pool.cidr) == Some(there.cidr),
        };
        listed.iter().any(same)
    };
    Existing::all(&inputs.ip_pools).iter().any(|there| there.is_managed() && !is_listed(there))
}

/// Spares the pools that are in use, and holds back those that would take the same addresses.
pub fn keep_used(pools: IpPools, existing: &[Object], usage: &Usage) -> Kept {
    let IpPools { objects, deletions } = pools;
    let existing = Existing::all(existing);
    let mut kept = Kept::default();
    let mut staying = Vec::new();
    for key in deletions {
        let there = existing.iter().find(|there| *there.object().key() == key);
        match there.and_then(|there| Some((there, in_use(&there.cidr, usage)?))) {
            Some((there, detail)) => {
                kept.messages.push(Message::new(&codes::IP_POOL_IN_USE, detail).on(&key));
                staying.push(there);
            }
            None => kept.pools.deletions.push(key),
        }
    }
    for object in objects {
        match blocker(&object, &staying) {
            Some(message) => kept.messages.push(message),
            None => kept.pools.objects.push(object),
        }
    }
    kept
}

fn in_use(pool: &IpNet, usage: &Usage) -> Option<String> {
    let blocks = match usage {
        Usage::Known(blocks) => blocks,
        Usage::Unknown(reason) => {
            return Some(format!("the Installation lists it no more, but whether it is in use is unknown: {reason}"));
        }
    };
    let within = |block: &&Block| parse_cidr(&block.cidr).is_some_and(|block| pool.contains(&block));
    let used: Vec<_> = blocks.iter().filter(within).collect();
    let addresses: usize = used.iter().map(|block| block.allocated).sum();
    let first = used.first()?;
    Some(format!(
        "the Installation lists it no more, but {addresses} of its addresses are in use, in {} blocks such as {}; it \
         stays until there is no block",
        used.len(),
        first.cidr
    ))
}

fn blocker(object: &Object, staying: &[&Existing<'_>]) -> Option<Message> {
    let net = parse_cidr(object.pointer("/spec/cidr")?.as_str()?)?;
    let is_same = |there: &&&Existing<'_>| there.cidr.contains(&net) || net.contains(&there.cidr);
    let there = staying.iter().find(is_same)?;
    let detail = format!(
        "{net} overlaps {} of IPPool {}, which is still in use; the pool waits for it",
        there.cidr,
        there.name()
    );
    Some(Message::new(&codes::IP_POOL_BLOCKED, detail).on(object.key()).field("spec.cidr"))
}
