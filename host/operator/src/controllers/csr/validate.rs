//! From what was read to a signer and decisions, or why nothing can be signed.

use chimera_core::certificates::RequestSigner;
use chimera_core::csr::{CsrConfig, Decision, decide};
use chimera_core::message::Message;
use k8s_openapi::api::certificates::v1::CertificateSigningRequest;

use super::super::following;
use super::dereference::Found;
use crate::context::Context;

/// What can be answered.
pub(super) struct Validated {
    pub(super) config: CsrConfig,
    pub(super) signer: RequestSigner,
    pub(super) requests: Vec<(CertificateSigningRequest, Decision)>,
}

/// Decides each request; none if the Installation asks for no answers any more.
pub(super) fn run(found: Found, context: &Context) -> Result<Option<Validated>, Vec<Message>> {
    let Found { subject: _, inputs, authority, requests } = found;
    let config = CsrConfig::new(following::config(&inputs, context)?);
    let management = config.installation.spec.certificate_management.as_ref();
    let signer = management.map(|management| RequestSigner::new(authority.as_ref(), management, context.env()));
    let Some(signer) = signer.transpose().map_err(|message| vec![message])? else { return Ok(None) };
    let requests = requests.into_iter().map(|(request, pod)| {
        let decision = decide(&request, pod.as_ref(), &config.applicants);
        (request, decision)
    });
    let requests = requests.collect();
    Ok(Some(Validated { config, signer, requests }))
}
