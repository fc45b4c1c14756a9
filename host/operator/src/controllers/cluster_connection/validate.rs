//! From what was read to a config that can be rendered, or everything that is wrong with it.

use chimera_core::cluster_connection::{self, ClusterConnectionConfig};
use chimera_core::component::Readiness;
use chimera_core::message::Message;

use super::super::following;
use super::dereference::Found;
use crate::context::Context;

/// The config, and whether what it builds on is there.
pub(super) fn run(found: &Found, context: &Context) -> Result<(ClusterConnectionConfig, Readiness), Vec<Message>> {
    let installation = following::config(&found.inputs, context)?;
    let Found { connection, owner, inputs } = found;
    let config = cluster_connection::validate(connection, owner.clone(), inputs, installation, context.env())?;
    Ok((config, following::readiness(inputs, context)))
}
