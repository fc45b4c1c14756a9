//! Reads requests, the pods that made them, and what the Installation depends on; only where it asks for that.

use chimera_core::certificates::CA_SECRET;
use chimera_core::codes;
use chimera_core::confidential::Confidential;
use chimera_core::csr::{LABEL, is_open, is_wanted, requesting_pod};
use chimera_core::installation::inputs::InstallationInputs;
use chimera_core::message::Message;
use chimera_core::names::CALICO_SYSTEM;
use chimera_core::object::ObjectKey;
use chimera_crds::parse;
use k8s_openapi::api::certificates::v1::CertificateSigningRequest;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use serde_json::Value;

use super::super::installation::dereference::{self, failed};
use super::super::subject::{API_VERSION, INSTALLATION, Subject};
use super::super::wiring::watch_for;
use crate::context::Context;
use crate::watch::source::Target;

const CERTIFICATES: &str = "certificates.k8s.io/v1";
const KIND: &str = "CertificateSigningRequest";
const PLURAL: &str = "certificatesigningrequests";

/// What was read.
pub(super) struct Found {
    pub(super) subject: Subject,
    pub(super) inputs: InstallationInputs,
    /// The authority's Secret.
    pub(super) authority: Option<Confidential>,
    /// Requests without an answer, with their pods.
    pub(super) requests: Vec<(CertificateSigningRequest, Option<Pod>)>,
}

/// Reads; none if there is nothing to answer.
pub(super) async fn run(context: &Context) -> Result<Option<Found>, Message> {
    if !asks(context).await? {
        return Ok(None);
    }
    let target = Target::new(CERTIFICATES, KIND, PLURAL).labelled(LABEL);
    let scope = target.scope();
    watch_for(context, target, vec![context.bells.csr.clone()]);
    let Some(installation) = dereference::run(context).await? else { return Ok(None) };
    let mut requests = Vec::new();
    for live in context.reader.all(&scope, PLURAL).await.map_err(failed)? {
        let request = typed(&live)?;
        if is_open(&request) {
            let pod = pod(context, &request).await?;
            requests.push((request, pod));
        }
    }
    let authority = installation.inputs.secrets.get(CA_SECRET).cloned();
    Ok(Some(Found { subject: installation.subject, inputs: installation.inputs, authority, requests }))
}

/// Whether the Installation names the operator as the signer. That costs nothing where it does not.
async fn asks(context: &Context) -> Result<bool, Message> {
    let key = ObjectKey::cluster(API_VERSION, INSTALLATION, "default");
    let Some(live) = context.reader.get(&key, "installations").await.map_err(failed)? else { return Ok(false) };
    if live.pointer("/spec/certificateManagement").is_none() {
        return Ok(false);
    }
    // Anything that is wrong with it is told by its own controller.
    let installation = parse::resource::<chimera_crds::Installation>((*live).clone());
    Ok(installation.is_ok_and(|installation| is_wanted(&installation.spec)))
}

fn typed(live: &Value) -> Result<CertificateSigningRequest, Message> {
    serde_path_to_error::deserialize(live).map_err(|error| {
        let name = live.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        let detail = parse::in_words(&error.inner().to_string());
        Message::new(&codes::UNREADABLE_RESOURCE, detail).on(format!("{KIND} {name}")).field(error.path().to_string())
    })
}

/// The pod that a request says it was made by. Pods are not watched.
async fn pod(context: &Context, request: &CertificateSigningRequest) -> Result<Option<Pod>, Message> {
    let Some(name) = requesting_pod(request) else { return Ok(None) };
    let pods: Api<Pod> = Api::namespaced(context.client.clone(), CALICO_SYSTEM);
    pods.get_opt(name).await.map_err(|error| {
        let key = ObjectKey::namespaced("v1", "Pod", CALICO_SYSTEM, name);
        Message::new(&codes::CLUSTER_READ_FAILED, crate::client::reason(&error, "get")).on(key)
    })
}
