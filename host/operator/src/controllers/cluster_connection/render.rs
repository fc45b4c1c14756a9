//! From the config to components.

use chimera_core::cluster_connection::ClusterConnectionConfig;
use chimera_core::component::{Component, Readiness};
use chimera_core::message::Message;
use chimera_core::render::{Error, guardian};

/// guardian, and its network policy where the cluster takes it.
pub(super) fn run(config: &ClusterConnectionConfig, readiness: &Readiness) -> Result<Vec<Component>, Vec<Message>> {
    guardian::components(config, readiness).map_err(Error::messages)
}
