//! Reads the Goldmane, the Installation that it follows from, and whether the cluster is managed by another; decides
//! nothing.

use chimera_core::codes;
use chimera_core::goldmane::{KIND, SECRETS};
use chimera_core::installation::inputs::InstallationInputs;
use chimera_core::message::Message;
use chimera_crds::Goldmane;
use serde_json::Value;

use crate::context::Context;
use crate::controllers::following::{self, Kind, Own, Search};
use crate::controllers::installation::dereference::secrets_named;
use crate::controllers::subject::Subject;

/// What was read.
pub(super) struct Found {
    pub(super) own: Own<Goldmane>,
    pub(super) inputs: InstallationInputs,
    /// Whether a ManagementClusterConnection is there.
    pub(super) is_managed: bool,
}

/// The resource.
pub(super) async fn own(context: &Context) -> Result<Search<Goldmane>, (Subject, Message)> {
    following::find(context, Kind { kind: KIND, plural: "goldmanes", any_name: false }).await
}

/// All the rest, or what is waited for.
pub(super) async fn run(context: &Context, own: Own<Goldmane>) -> Result<Found, Message> {
    let mut inputs = following::installation(context).await??;
    inputs.secrets.extend(secrets_named(context, &SECRETS.map(String::from)).await?);
    Ok(Found { own, inputs, is_managed: is_managed(context).await? })
}

/// What is wrong with the connection is told of it; that it is there is enough here.
async fn is_managed(context: &Context) -> Result<bool, Message> {
    let kind = Kind { kind: "ManagementClusterConnection", plural: "managementclusterconnections", any_name: true };
    match following::find::<Value>(context, kind).await {
        Ok(search) => Ok(matches!(search, Search::Found(_))),
        Err((_, message)) if message.code().id == codes::CLUSTER_READ_FAILED.id => Err(message),
        Err(_) => Ok(false),
    }
}
