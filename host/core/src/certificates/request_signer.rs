//! Signs for pods that request their certificates, where the Installation names the operator itself as the signer.

use chimera_crds::installation::CertificateManagement;
use jiff::SignedDuration;

use super::authority::{Authority, Error};
use super::establish::unusable;
use super::key_pair::CERTIFICATE_KEY;
use super::{CA_SECRET, Identity, certificate};
use crate::codes;
use crate::confidential::Confidential;
use crate::env::Env;
use crate::message::Message;

/// The operator's authority, as the signer of requests.
pub struct RequestSigner(Authority);

impl RequestSigner {
    /// With the authority in the Secret `tigera-ca-private`, which must be the one that the Installation has pods trust.
    ///
    /// # Errors
    /// If the Secret is missing or unusable, or pods trust another authority.
    pub fn new(
        secret: Option<&Confidential>,
        management: &CertificateManagement,
        env: Env<'_>,
    ) -> Result<Self, Message> {
        let secret = secret.ok_or_else(|| missing(env))?;
        let authority = Authority::existing(secret, env).map_err(|error| unusable(CA_SECRET, &error, env))?;
        let trusted = certificate::each(&String::from_utf8_lossy(&management.ca_cert.0));
        match certificate::each(authority.certificate()).first() {
            Some(own) if trusted.contains(own) => Ok(Self(authority)),
            _ => Err(untrusted(env)),
        }
    }

    /// Signs a certificate for a public key (DER), and gives it with its chain, PEM. It is good for as long as those that the
    /// operator issues by itself, or for less if so asked.
    ///
    /// # Errors
    /// If the library cannot read the key or sign.
    pub fn sign(
        &self,
        identity: &Identity,
        public_key: &[u8],
        at_most: Option<SignedDuration>,
        env: Env<'_>,
    ) -> Result<String, Message> {
        let key = rcgen::SubjectPublicKeyInfo::from_der(public_key).map_err(Error::from);
        let signed = key.and_then(|key| self.0.sign(identity, &key, at_most, env));
        signed.map_err(|error| unusable(CA_SECRET, &error, env))
    }
}

fn missing(env: Env<'_>) -> Message {
    let detail = format!(
        "it names the operator itself as the signer, but there is no Secret {}/{CA_SECRET} with the authority's certificate \
         ({CERTIFICATE_KEY}) and private key to sign with",
        env.namespace
    );
    field(detail, "signerName")
}

fn untrusted(env: Env<'_>) -> Message {
    let detail = format!(
        "it does not hold the certificate of Secret {}/{CA_SECRET}, which the operator signs with, so pods would not trust \
         each other",
        env.namespace
    );
    field(detail, "caCert")
}

fn field(detail: String, name: &str) -> Message {
    let message = Message::new(&codes::INVALID_CONFIGURATION, detail).on("Installation default");
    message.field(format!("spec.certificateManagement.{name}"))
}
