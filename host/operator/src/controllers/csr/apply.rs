//! Approves and signs what is granted; leaves everything else as it is.

use chimera_core::certificates::RequestSigner;
use chimera_core::codes;
use chimera_core::csr::{CsrConfig, Decision, Grant, Refusal, is_approved};
use chimera_core::following::policies;
use chimera_core::message::Message;
use chimera_core::object::ObjectKey;
use jiff::Timestamp;
use k8s_openapi::ByteString;
use k8s_openapi::api::certificates::v1::CertificateSigningRequest;
use kube::Api;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};
use tracing::info;

use crate::client::{FIELD_MANAGER, reason};
use crate::context::Context;
use crate::controllers::applying::{self, Extension};
use crate::controllers::health::Applied;

/// A request that is left alone.
pub(super) struct Left {
    pub(super) key: ObjectKey,
    pub(super) uid: Option<String>,
    pub(super) refusal: Refusal,
}

/// What became of the requests.
#[derive(Default)]
pub(super) struct Answered {
    /// Left alone.
    pub(super) left: Vec<Left>,
    /// Whether something has to be waited for that no watch tells of.
    pub(super) waits: bool,
    /// What failed.
    pub(super) failures: Vec<Message>,
}

/// Applies what plugins added.
pub(super) async fn run(context: &Context, config: &CsrConfig, extended: Vec<Extension>) -> Vec<Applied> {
    applying::run(context, &policies(config), extended).await
}

/// Answers each request.
pub(super) async fn answer(
    context: &Context,
    signer: &RequestSigner,
    requests: &[(CertificateSigningRequest, Decision)],
) -> Answered {
    let mut answered = Answered::default();
    for (request, decision) in requests {
        match decision {
            Decision::Ignored => {}
            Decision::Waiting(why) => {
                info!(request = request.metadata.name, why, "a certificate signing request has to wait");
                answered.waits = true;
            }
            Decision::Refused(refusal) => {
                let uid = request.metadata.uid.clone();
                answered.left.push(Left { key: key(request), uid, refusal: refusal.clone() });
            }
            Decision::Granted(grant) => answered.failures.extend(give(context, signer, request, grant).await.err()),
        }
    }
    answered
}

fn key(request: &CertificateSigningRequest) -> ObjectKey {
    let name = request.metadata.name.as_deref().unwrap_or_default();
    ObjectKey::cluster("certificates.k8s.io/v1", "CertificateSigningRequest", name)
}

/// Signs before anything is written, so that nothing is approved that then cannot be signed.
async fn give(
    context: &Context,
    signer: &RequestSigner,
    request: &CertificateSigningRequest,
    grant: &Grant,
) -> Result<(), Message> {
    let chain = signer.sign(&grant.identity, &grant.public_key, grant.at_most, context.env())?;
    let api: Api<CertificateSigningRequest> = Api::all(context.client.clone());
    let (key, params) = (key(request), params());
    let failed = |error: kube::Error| Message::new(&codes::APPLY_FAILED, reason(&error, "update")).on(&key);
    // What was decided is of this very version: another may ask for something else.
    let mut version = request.metadata.resource_version.clone();
    if !is_approved(request) {
        let patch = Patch::Merge(approval(request, context.clock.now()));
        let approved = api.patch_approval(&key.name, &params, &patch).await.map_err(failed)?;
        version = approved.metadata.resource_version;
    }
    let patch =
        json!({"metadata": {"resourceVersion": version}, "status": {"certificate": ByteString(chain.into_bytes())}});
    api.patch_status(&key.name, &params, &Patch::Merge(patch)).await.map_err(failed)?;
    info!(request = key.name, component = grant.identity.secret, "approved and signed a certificate signing request");
    Ok(())
}

fn params() -> PatchParams {
    PatchParams { field_manager: Some(FIELD_MANAGER.into()), ..PatchParams::default() }
}

fn approval(request: &CertificateSigningRequest, now: Timestamp) -> Value {
    let before = request.status.iter().flat_map(|status| status.conditions.iter().flatten());
    let now = Timestamp::from_second(now.as_second()).unwrap_or(now);
    let approved = json!({
        "type": "Approved",
        "status": "True",
        "reason": "ComponentOfCalico",
        "message": "The operator has checked that it was made by a pod of this component, for its own names and address.",
        "lastUpdateTime": now,
    });
    let conditions: Vec<_> = before.map(|condition| json!(condition)).chain([approved]).collect();
    json!({
        "metadata": {"resourceVersion": request.metadata.resource_version},
        "status": {"conditions": conditions},
    })
}
