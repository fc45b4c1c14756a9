//! Reads the Istio and the Installation that it follows from; decides nothing.

use chimera_core::charts::Charts;
use chimera_core::installation::inputs::InstallationInputs;
use chimera_core::istio::IstioInputs;
use chimera_core::message::Message;
use chimera_crds::istio::Istio;

use crate::charts;
use crate::context::Context;
use crate::controllers::following::{self, Kind, Own, Search};
use crate::controllers::subject::Subject;

/// What was read.
pub(super) struct Found {
    pub(super) inputs: IstioInputs,
    pub(super) installation: InstallationInputs,
    pub(super) warnings: Vec<Message>,
}

/// The resource.
pub(super) async fn own(context: &Context) -> Result<Search<Istio>, (Subject, Message)> {
    following::find(context, Kind { kind: "Istio", plural: "istios", any_name: false }).await
}

/// All the rest, or what is missing or waited for.
pub(super) async fn run(context: &Context, own: Own<Istio>) -> Result<Found, Message> {
    let folder = context.settings.chart_bundles.as_deref();
    let packed = charts::needed(Charts::Istio, folder).and_then(|packed| packed.bundle(|_| true));
    let bundle = packed.map_err(|message| message.on(&own.subject.key))?;
    let installation = following::installation(context).await??;
    let warnings = own.warnings();
    let (owner, felix) = (own.owner(), installation.felix.clone());
    Ok(Found { inputs: IstioInputs { resource: own.resource, owner, bundle, felix }, installation, warnings })
}
