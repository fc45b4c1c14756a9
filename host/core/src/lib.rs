//! The pure core of the operator: what the cluster should hold, worked out from what was read.
//!
//! Nothing here holds a client, a clock, a source of randomness or a sandbox: they come in as arguments ([`env`]), so
//! that the same input gives the same objects live, offline and in a test.
//!
//! Data flows `validate → render → extend`; [`component::Component`] carries the stage in its type.

pub mod bgp;
pub mod certificates;
pub mod codes;
pub mod component;
pub mod confidential;
pub mod defaulting;
pub mod env;
pub mod extend;
pub mod extensions;
pub mod felix;
pub mod following;
pub mod hash;
pub mod images;
pub mod installation;
pub mod ip_pools;
pub mod merge;
pub mod message;
pub mod migrate;
pub mod names;
pub mod object;
mod overrides;
pub mod policies;
pub mod provenance;
pub mod render;
pub mod routes;
mod shared;
pub mod testing;
pub mod windows;
