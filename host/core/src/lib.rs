//! The pure core of the operator: what the cluster should hold, worked out from what was read.
//!
//! Nothing here holds a client, a clock, a source of randomness or a sandbox: they come in as arguments ([`env`]), so
//! that the same input gives the same objects live, offline and in a test.
//!
//! Data flows `validate → render → extend`; [`component::Component`] carries the stage in its type.

pub mod api_server;
pub mod bgp;
pub mod certificates;
pub mod charts;
pub mod cluster_connection;
pub mod codes;
pub mod component;
pub mod confidential;
pub mod csr;
pub mod defaulting;
pub mod env;
pub mod extend;
pub mod extensions;
pub mod felix;
pub mod following;
pub mod gateway_api;
pub mod goldmane;
pub mod hash;
pub mod images;
pub mod installation;
pub mod ip_pools;
pub mod istio;
pub mod kube_proxy;
pub mod merge;
pub mod message;
pub mod migrate;
pub mod names;
pub mod object;
pub mod offline;
mod overrides;
pub mod policies;
pub mod provenance;
pub mod render;
pub mod routes;
mod selector;
mod shared;
pub mod testing;
pub mod tiers;
pub mod whisker;
pub mod windows;
pub mod yaml;
