//! Reads the Installation, and whether Calico's own API answers.

use chimera_core::codes;
use chimera_core::installation::inputs::InstallationInputs;
use chimera_core::message::Message;
use chimera_core::names::API_SERVICE;
use chimera_core::render::tiers::CLUSTER_DNS;

use super::super::calico_api;
use super::super::installation::dereference::{self, Found};
use super::super::installation::removal::{self, Stage};
use super::super::subject::{API_VERSION, Subject};
use super::super::wiring::watch_also;
use crate::context::Context;
use crate::watch::source::Target;
use crate::watch::versions::Scope;

/// What there is.
pub(super) enum Read {
    /// No Installation to serve, or nobody asks for Calico's API. The tier stays: policies of others may be in it.
    Nothing,
    /// It is not known yet what is there; the watch rings once it is.
    Unknown,
    /// The API does not answer.
    Waiting(Subject, Message),
    /// Something cannot be read.
    Failed(Message),
    /// This.
    Found(Subject, Box<InstallationInputs>),
}

/// Reads.
pub(super) async fn run(context: &Context) -> Read {
    if !matches!(removal::stage(context).await, Stage::Serve) {
        return Read::Nothing;
    }
    read(context).await.unwrap_or_else(Read::Failed)
}

async fn read(context: &Context) -> Result<Read, Message> {
    let Some(Found { subject, inputs, strays: _ }) = dereference::run(context).await? else {
        return Ok(Read::Nothing);
    };
    if !calico_api::answers(context).await? {
        match is_asked_for(context).await? {
            Some(true) => {}
            Some(false) => return Ok(Read::Nothing),
            None => return Ok(Read::Unknown),
        }
        let detail = "it does not answer yet; all but tiers and the policies in them goes on without";
        let message = Message::new(&codes::WAITING_FOR_CALICO_API, detail).on(format!("APIService {API_SERVICE}"));
        return Ok(Read::Waiting(subject, message));
    }
    // It carries no label of the operator's, so that the watch of those that do passes it over.
    let target = Target::new(calico_api::API_VERSION, "NetworkPolicy", "networkpolicies");
    let target = target.named(CLUSTER_DNS).auxiliary();
    let scope = target.scope();
    watch_also(context, target);
    if !context.versions.is_listed(&scope) {
        return Ok(Read::Unknown);
    }
    Ok(Read::Found(subject, Box::new(inputs)))
}

/// Whether Calico's API is to be there: an APIServer brings it, or somebody else answers for it. None if it is not known
/// yet.
async fn is_asked_for(context: &Context) -> Result<Option<bool>, Message> {
    let api_servers = Scope::all(API_VERSION, "APIServer");
    if !context.versions.is_listed(&api_servers) {
        return Ok(None);
    }
    let brought = !context.versions.keys(&api_servers).is_empty();
    Ok(Some(brought || calico_api::api_service(context).await?.is_some()))
}
