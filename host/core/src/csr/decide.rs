//! Whether a request is granted: pure, and by what the request itself, its pod and the list of applicants say.

use jiff::SignedDuration;
use k8s_openapi::api::certificates::v1::CertificateSigningRequest;
use k8s_openapi::api::core::v1::Pod;

use super::contents::{self, Contents};
use super::{Applicant, LABEL, SIGNER_NAME};
use crate::certificates::Identity;
use crate::names::{APP_LABEL, CALICO_SYSTEM};

/// Says in a request by which pod's token it was made; the API server puts it there.
const POD_NAME: &str = "authentication.kubernetes.io/pod-name";
const POD_UID: &str = "authentication.kubernetes.io/pod-uid";
/// Usages that a request must ask for, and those that it may.
const REQUIRED: [&str; 3] = ["client auth", "digital signature", "server auth"];
const ALLOWED: [&str; 2] = ["key agreement", "key encipherment"];

/// What becomes of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is none of the operator's, or is answered.
    Ignored,
    /// It cannot be decided yet, and why.
    Waiting(&'static str),
    /// It is left alone.
    Refused(Refusal),
    /// A certificate is signed for it.
    Granted(Box<Grant>),
}

/// What is signed. Nothing but the key is taken from the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Whom the certificate names, with the addresses of the pod that asked.
    pub identity: Identity,
    /// The pod's public key, DER.
    pub public_key: Vec<u8>,
    /// How long the certificate shall be good at most, if the request says so.
    pub at_most: Option<SignedDuration>,
}

/// Why a request is left alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Somebody else made it.
    #[error("it was made by {0}, which is no ServiceAccount of {CALICO_SYSTEM}")]
    Requester(String),
    /// Its name is not that of a certificate and a pod.
    #[error("its name is not that of a certificate and the pod that asks, such as typha-certs:calico-typha-0")]
    Name,
    /// The account has no such certificate.
    #[error("no component of the operator gets the certificate {secret:?} by the ServiceAccount {account:?}")]
    Applicant {
        /// What was asked for.
        secret: String,
        /// By whom.
        account: String,
    },
    /// The token that it was made with is of no pod, or of another.
    #[error("it was not made with the token of the pod that its name states")]
    Token,
    /// There is no such pod.
    #[error("the pod that it was made by is not there, or is another by now")]
    Pod,
    /// The pod is not one of the component.
    #[error("the pod that it was made by is not a running pod of the component")]
    ForeignPod,
    /// It asks for other usages.
    #[error(
        "it asks for the usages {0}, but certificates of components are for digital signature, server auth and client auth"
    )]
    Usages(String),
    /// What it carries deviates.
    #[error(transparent)]
    Contents(#[from] contents::Error),
}

enum Obstacle {
    Wait(&'static str),
    Refuse(Refusal),
}

impl From<Refusal> for Obstacle {
    fn from(refusal: Refusal) -> Self {
        Self::Refuse(refusal)
    }
}

impl From<contents::Error> for Obstacle {
    fn from(error: contents::Error) -> Self {
        Self::Refuse(error.into())
    }
}

/// Whether a request is for the operator and has no answer yet.
pub fn is_open(request: &CertificateSigningRequest) -> bool {
    let labelled = request.metadata.labels.as_ref().is_some_and(|labels| labels.contains_key(LABEL));
    let status = request.status.as_ref();
    let answered = status.is_some_and(|status| status.certificate.is_some())
        || has_condition(request, "Denied")
        || has_condition(request, "Failed");
    labelled && !answered && request.spec.signer_name == SIGNER_NAME
}

/// Whether it is approved already.
pub fn is_approved(request: &CertificateSigningRequest) -> bool {
    has_condition(request, "Approved")
}

fn has_condition(request: &CertificateSigningRequest, type_: &str) -> bool {
    let conditions = request.status.iter().flat_map(|status| status.conditions.iter().flatten());
    conditions.into_iter().any(|condition| condition.type_ == type_ && condition.status == "True")
}

/// Name of the pod that a request was made by; none if that is not known.
pub fn requesting_pod(request: &CertificateSigningRequest) -> Option<&str> {
    account(request)?;
    extra(request, POD_NAME)
}

fn extra<'a>(request: &'a CertificateSigningRequest, key: &str) -> Option<&'a str> {
    match request.spec.extra.as_ref()?.get(key)?.as_slice() {
        [value] => Some(value),
        _ => None,
    }
}

/// Its ServiceAccount, if that is one of the namespace that Calico runs in.
fn account(request: &CertificateSigningRequest) -> Option<&str> {
    let account = request.spec.username.as_deref()?.strip_prefix("system:serviceaccount:")?;
    let (namespace, name) = account.split_once(':')?;
    (namespace == CALICO_SYSTEM && !name.contains(':')).then_some(name)
}

/// Decides. `pod`: the one of the name in [`requesting_pod`], if it is there.
pub fn decide(request: &CertificateSigningRequest, pod: Option<&Pod>, applicants: &[Applicant]) -> Decision {
    if !is_open(request) {
        return Decision::Ignored;
    }
    match examine(request, pod, applicants) {
        Ok(grant) => Decision::Granted(Box::new(grant)),
        Err(Obstacle::Wait(why)) => Decision::Waiting(why),
        Err(Obstacle::Refuse(refusal)) => Decision::Refused(refusal),
    }
}

fn examine(
    request: &CertificateSigningRequest,
    pod: Option<&Pod>,
    applicants: &[Applicant],
) -> Result<Grant, Obstacle> {
    let account = account(request)
        .ok_or_else(|| Refusal::Requester(request.spec.username.clone().unwrap_or_else(|| "nobody".into())))?;
    let name = request.metadata.name.as_deref().unwrap_or_default();
    let (secret, pod_name) = name.split_once(':').ok_or(Refusal::Name)?;
    let applicant = applicants
        .iter()
        .find(|applicant| applicant.account == account && applicant.identity.secret == secret)
        .ok_or_else(|| Refusal::Applicant { secret: secret.to_owned(), account: account.to_owned() })?;
    if extra(request, POD_NAME) != Some(pod_name) {
        return Err(Refusal::Token.into());
    }
    let uid = extra(request, POD_UID).ok_or(Refusal::Token)?;
    let pod = pod.filter(|pod| is_same(pod, pod_name, uid)).ok_or(Refusal::Pod)?;
    if !is_of(pod, applicant) {
        return Err(Refusal::ForeignPod.into());
    }
    usages(request)?;
    let contents = Contents::of(&request.spec.request.0)?;
    let addresses = addresses(pod);
    if addresses.is_empty() {
        return Err(Obstacle::Wait("its pod has no address yet"));
    }
    contents.check(&applicant.identity, &addresses)?;
    let identity = Identity { addresses: contents.addresses().to_vec(), ..applicant.identity.clone() };
    let at_most = request.spec.expiration_seconds.map(|seconds| SignedDuration::from_secs(seconds.into()));
    Ok(Grant { identity, public_key: contents.into_public_key(), at_most })
}

fn is_same(pod: &Pod, name: &str, uid: &str) -> bool {
    let metadata = &pod.metadata;
    metadata.name.as_deref() == Some(name)
        && metadata.namespace.as_deref() == Some(CALICO_SYSTEM)
        && metadata.uid.as_deref() == Some(uid)
}

fn is_of(pod: &Pod, applicant: &Applicant) -> bool {
    let account = pod.spec.as_ref().and_then(|spec| spec.service_account_name.as_deref());
    let app = pod.metadata.labels.as_ref().and_then(|labels| labels.get(APP_LABEL));
    let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref());
    account == Some(applicant.account)
        && app.is_some_and(|app| app == applicant.app)
        && !matches!(phase, Some("Succeeded" | "Failed"))
}

fn usages(request: &CertificateSigningRequest) -> Result<(), Refusal> {
    let asked: Vec<&str> = request.spec.usages.iter().flatten().map(String::as_str).collect();
    let complete = REQUIRED.iter().all(|usage| asked.contains(usage));
    let other = asked.iter().any(|usage| !REQUIRED.contains(usage) && !ALLOWED.contains(usage));
    if complete && !other { Ok(()) } else { Err(Refusal::Usages(asked.join(", "))) }
}

fn addresses(pod: &Pod) -> Vec<std::net::IpAddr> {
    let Some(status) = &pod.status else { return Vec::new() };
    let all = status.pod_ips.iter().flatten().map(|address| address.ip.as_str());
    all.chain(status.pod_ip.as_deref()).filter_map(|address| address.parse().ok()).collect()
}
