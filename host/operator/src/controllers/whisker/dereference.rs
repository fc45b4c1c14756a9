//! Reads the Whisker, the Installation that it follows from, whether there is a Goldmane, and what the cluster's Calico
//! says of itself; decides nothing.

use chimera_core::goldmane;
use chimera_core::installation::inputs::InstallationInputs;
use chimera_core::message::Message;
use chimera_core::object::ObjectKey;
use chimera_core::whisker::{KIND, SECRETS};
use chimera_crds::Whisker;
use chimera_crds::projectcalico::{ClusterInformation, ClusterInformationSpec};
use serde_json::Value;

use crate::context::Context;
use crate::controllers::following::{self, Kind, Own, Search};
use crate::controllers::installation::dereference::{failed, secrets_named, typed};
use crate::controllers::subject::Subject;
use crate::controllers::wiring::watch_also;
use crate::watch::source::Target;

/// What was read.
pub(super) struct Found {
    pub(super) own: Own<Whisker>,
    pub(super) inputs: InstallationInputs,
    /// Whether a Goldmane is there.
    pub(super) has_goldmane: bool,
    /// ClusterInformation `default`.
    pub(super) cluster: Option<ClusterInformationSpec>,
}

/// The resource.
pub(super) async fn own(context: &Context) -> Result<Search<Whisker>, (Subject, Message)> {
    following::find(context, Kind { kind: KIND, plural: "whiskers", any_name: false }).await
}

/// All the rest, or what is waited for.
pub(super) async fn run(context: &Context, own: Own<Whisker>) -> Result<Found, Message> {
    let mut inputs = following::installation(context).await??;
    inputs.secrets.extend(secrets_named(context, &SECRETS.map(String::from)).await?);
    let (has_goldmane, cluster) = (has_goldmane(context).await?, cluster(context).await?);
    Ok(Found { own, inputs, has_goldmane, cluster })
}

/// One whose kind is not listed yet may be there; the watch rings once it is known.
async fn has_goldmane(context: &Context) -> Result<bool, Message> {
    let kind = Kind { kind: goldmane::KIND, plural: "goldmanes", any_name: false };
    match following::find::<Value>(context, kind).await {
        Ok(search) => Ok(matches!(search, Search::Found(_) | Search::Unknown)),
        Err((_, message)) if message.code().id == chimera_core::codes::CLUSTER_READ_FAILED.id => Err(message),
        Err(_) => Ok(false),
    }
}

/// It is made by calico-node, and says another version after an upgrade.
async fn cluster(context: &Context) -> Result<Option<ClusterInformationSpec>, Message> {
    const KIND: (&str, &str) = ("ClusterInformation", "clusterinformations");
    let api_version = context.settings.api_group.api_version();
    watch_also(context, Target::new(api_version, KIND.0, KIND.1).named("default"));
    let key = ObjectKey::cluster(api_version, KIND.0, "default");
    let Some(live) = context.reader.get(&key, KIND.1).await.map_err(failed)? else { return Ok(None) };
    let information: ClusterInformation = typed(&key, &live)?;
    Ok(Some(information.spec))
}
