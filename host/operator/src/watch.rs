//! What the operator watches: of most objects only which version they have.
//!
//! Each watch feeds the [`versions::Versions`] (identity and version of every object seen) and signals the controllers
//! that care. Only DaemonSets and Deployments are read whole, for their rollout state; of Nodes only labels are kept.

pub mod heeded;
pub mod lazy;
pub mod nodes;
pub mod signal;
pub mod source;
pub mod versions;
pub mod workloads;
