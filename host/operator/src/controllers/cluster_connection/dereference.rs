//! Reads what a connection depends on: the Installation, the user's credentials for the tunnel, and the key pair.

use chimera_core::cluster_connection::SECRETS;
use chimera_core::installation::config::Owner;
use chimera_core::installation::inputs::InstallationInputs;
use chimera_core::message::Message;
use chimera_crds::ManagementClusterConnection;

use super::super::following::{self, Own};
use super::super::installation::dereference::secrets_named;
use crate::context::Context;

/// What was read.
pub(super) struct Found {
    pub(super) connection: ManagementClusterConnection,
    pub(super) owner: Owner,
    pub(super) inputs: InstallationInputs,
}

/// Reads; the message says what could not be read, or that there is no Installation to follow.
pub(super) async fn run(context: &Context, own: Own<ManagementClusterConnection>) -> Result<Found, Message> {
    let mut inputs = following::installation(context).await??;
    inputs.secrets.extend(secrets_named(context, &SECRETS.map(String::from)).await?);
    Ok(Found { owner: own.owner(), connection: own.resource, inputs })
}
