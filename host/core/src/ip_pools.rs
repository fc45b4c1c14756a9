//! IP pools: which there shall be, what is wrong with those that are asked for, and the objects that come of them.

mod check;
mod choose;
mod existing;
mod render;
#[cfg(test)]
mod tests;
mod usage;

pub(crate) use check::{Surroundings, check, in_services, outside};
pub(crate) use choose::{Sources, choose};
pub use render::{IpPools, MANAGED_BY, render};
pub use usage::{Block, Kept, Usage, drops_some, keep_used};

use chimera_crds::installation::IpPool;
use ipnet::IpNet;

use crate::object::Object;

/// Pools that exist, as an Installation would state them.
pub(crate) fn stated(objects: &[Object]) -> Vec<IpPool> {
    existing::Existing::all(objects).iter().map(existing::Existing::stated).collect()
}

/// A range of addresses without what the prefix does not cover (`10.1.2.3/16` is `10.1.0.0/16`).
pub(crate) fn parse_cidr(text: &str) -> Option<IpNet> {
    text.trim().parse::<IpNet>().ok().map(|net| net.trunc())
}
