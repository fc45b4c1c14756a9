//! Reads the APIServer and everything that it depends on; decides nothing.

use std::sync::Arc;

use chimera_core::api_server::SECRETS;
use chimera_core::installation::inputs::InstallationInputs;
use chimera_core::message::Message;
use chimera_crds::ApiServer;
use serde_json::Value;

use super::super::calico_api;
use super::super::following::{self, Kind, Own, Search};
use super::super::installation::dereference;
use super::super::subject::Subject;
use super::super::wiring::{OURS, watch_also};
use crate::context::Context;
use crate::watch::source::Target;

const KIND: Kind = Kind { kind: "APIServer", plural: "apiservers", any_name: true };

/// What was read.
pub(super) struct Found {
    /// The APIServer.
    pub(super) own: Own<ApiServer>,
    /// What the Installation depends on, with the Secrets of the API server.
    pub(super) inputs: InstallationInputs,
    /// The APIService as it is.
    pub(super) api_service: Option<Arc<Value>>,
}

/// What there is.
pub(super) enum Read {
    /// It is not known yet.
    Unknown,
    /// None to serve.
    Nothing,
    /// One that cannot be served now, and why.
    Refused(Subject, Box<Message>),
    /// This.
    Found(Box<Found>),
}

/// Reads.
pub(super) async fn run(context: &Context) -> Read {
    let own = match following::find::<ApiServer>(context, KIND).await {
        Ok(Search::Found(own)) => *own,
        Ok(Search::Unknown) => return Read::Unknown,
        Ok(Search::Nothing | Search::Leaving) => return Read::Nothing,
        Err((subject, message)) => return Read::Refused(subject, Box::new(message)),
    };
    let subject = own.subject.clone();
    match surroundings(context, own).await {
        Ok(found) => Read::Found(Box::new(found)),
        Err(message) => Read::Refused(subject, Box::new(message)),
    }
}

async fn surroundings(context: &Context, own: Own<ApiServer>) -> Result<Found, Message> {
    let kind = "ValidatingWebhookConfiguration";
    let hooks = Target::new("admissionregistration.k8s.io/v1", kind, "validatingwebhookconfigurations");
    watch_also(context, hooks.labelled(OURS));
    let mut inputs = following::installation(context).await??;
    inputs.secrets.extend(dereference::secrets_named(context, &SECRETS.map(Into::into)).await?);
    let api_service = calico_api::api_service(context).await?;
    Ok(Found { own, inputs, api_service })
}
