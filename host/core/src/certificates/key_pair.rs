//! A component's key pair and the Secrets that carry it.

use std::collections::BTreeMap;
use std::fmt;

use chimera_crds::installation::CertificateManagement;
use jiff::Timestamp;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::certificate::{self, Facts};
use super::{CA_NAME, Identity};
use crate::confidential::Confidential;
use crate::hash;

/// Key of a Secret's data that holds the certificate and what it was issued by, PEM.
pub const CERTIFICATE_KEY: &str = "tls.crt";
/// Key of a Secret's data that holds the private key, PEM.
pub const PRIVATE_KEY_KEY: &str = "tls.key";
/// Label and annotation: who signed the certificate. What carries it was made by this operator (or the one before it).
pub const SIGNER: &str = "certificates.operator.tigera.io/signer";

const ISSUER: &str = "certificates.operator.tigera.io/issuer";
const EXPIRY: &str = "certificates.operator.tigera.io/expiry";
const DNS_NAMES: &str = "certificates.operator.tigera.io/dns-names";
const ADDRESSES: &str = "certificates.operator.tigera.io/ip-sans";

/// Where a key pair comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// Issued just now.
    Issued,
    /// Issued earlier and still good.
    Kept,
    /// The user's own. Its Secret is copied where needed and never changed.
    User,
    /// Each pod requests its own by CertificateSigningRequest; there is no Secret.
    Requested(Box<CertificateManagement>),
}

/// A key pair.
#[derive(Clone, PartialEq)]
pub struct KeyPair {
    name: &'static str,
    /// Of the operator.
    namespace: String,
    /// Makes pods restart when the pair changes.
    annotation: String,
    source: Source,
    secret: Option<Confidential>,
    facts: Facts,
    hash: String,
}

impl KeyPair {
    /// One whose Secret is known, with what its certificate says.
    pub(super) fn new(
        identity: &Identity,
        namespace: &str,
        source: Source,
        secret: Confidential,
        facts: Facts,
    ) -> Self {
        let annotation = annotation(identity, namespace);
        let hash = stored_hash(&annotation, &secret, &facts).unwrap_or_else(|| hash_of(&secret));
        let (name, namespace) = (identity.secret, namespace.to_owned());
        Self { name, namespace, annotation, source, secret: Some(secret), facts, hash }
    }

    /// One that each pod requests for itself.
    pub(super) fn requested(identity: &Identity, namespace: &str, by: &CertificateManagement) -> Self {
        let source = Source::Requested(Box::new(by.clone()));
        let (subject, dns_names) = (identity.common_name.clone(), identity.dns_names.clone());
        let facts = Facts { subject, dns_names, addresses: identity.addresses.clone(), ..Facts::default() };
        let annotation = annotation(identity, namespace);
        let (name, namespace) = (identity.secret, namespace.to_owned());
        // Pods of such a cluster carry the annotation with an empty hash, for there is nothing to hash.
        Self { name, namespace, annotation, source, secret: None, facts, hash: String::new() }
    }

    /// The Secret that it is read from; none if pods request their own.
    pub(super) fn secret(&self) -> Option<&Confidential> {
        self.secret.as_ref()
    }

    /// What its certificate says.
    pub(super) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Name of its Secret, in every namespace.
    pub fn secret_name(&self) -> &'static str {
        self.name
    }

    /// Where it comes from.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The certificate and its chain, PEM; none if pods request their own.
    pub fn certificate_pem(&self) -> Option<&str> {
        self.secret.as_ref()?.text(CERTIFICATE_KEY)
    }

    /// The certificates that come after the pair's own: who issued it, PEM; none if its Secret does not say.
    pub fn issuer_pem(&self) -> Option<String> {
        let issuers = certificate::each(self.certificate_pem()?).into_iter().skip(1).collect::<Vec<_>>();
        (!issuers.is_empty()).then(|| issuers.concat())
    }

    /// Name that the other end of a connection expects. A user's Secret may state it (`common-name`); else it is the common
    /// name of the certificate's subject, which is empty if there is none.
    pub fn common_name(&self) -> &str {
        self.stated("common-name").unwrap_or(&self.facts.subject)
    }

    /// DNS names that it is good for.
    pub fn dns_names(&self) -> &[String] {
        &self.facts.dns_names
    }

    /// URI that the other end of a connection expects in the certificate, if a user's Secret states one (`uri-san`).
    pub fn uri_san(&self) -> Option<&str> {
        self.stated("uri-san")
    }

    fn stated(&self, key: &str) -> Option<&str> {
        let user = matches!(self.source, Source::User);
        self.secret.as_ref().filter(|_| user)?.text(key).map(str::trim).filter(|text| !text.is_empty())
    }

    /// When its certificate expires; none if pods request their own.
    pub fn expires(&self) -> Option<Timestamp> {
        self.secret.as_ref().map(|_| self.facts.not_after)
    }

    /// Annotation and value that make pods restart when the pair changes.
    pub fn hash_annotation(&self) -> (String, String) {
        (self.annotation.clone(), self.hash.clone())
    }

    /// The Secret to write into the operator's namespace: none for the user's own, and none if pods request theirs.
    pub fn operator_secret(&self) -> Option<Secret> {
        match self.source {
            Source::Issued | Source::Kept => self.secret_in(&self.namespace),
            Source::User | Source::Requested(_) => None,
        }
    }

    /// The copy of its Secret for another namespace; none if pods request their own.
    pub fn secret_in(&self, namespace: &str) -> Option<Secret> {
        let secret = self.secret.as_ref()?;
        Some(Secret {
            metadata: ObjectMeta {
                name: Some(self.name.into()),
                namespace: Some(namespace.into()),
                labels: self.labels(),
                annotations: Some(self.annotations()),
                ..ObjectMeta::default()
            },
            data: secret.data.clone(),
            type_: secret.type_.clone(),
            ..Secret::default()
        })
    }

    fn is_ours(&self) -> bool {
        matches!(self.source, Source::Issued | Source::Kept)
    }

    fn labels(&self) -> Option<BTreeMap<String, String>> {
        self.is_ours().then(|| BTreeMap::from([(SIGNER.into(), CA_NAME.into())]))
    }

    fn annotations(&self) -> BTreeMap<String, String> {
        let mut annotations = BTreeMap::from([self.hash_annotation()]);
        if self.is_ours() {
            annotations.insert(SIGNER.into(), CA_NAME.into());
            annotations.insert(ISSUER.into(), self.facts.issuer.clone());
            annotations.insert(EXPIRY.into(), self.facts.not_after.to_string());
            if !self.facts.dns_names.is_empty() {
                annotations.insert(DNS_NAMES.into(), self.facts.dns_names.join(","));
            }
            if !self.facts.addresses.is_empty() {
                let addresses: Vec<_> = self.facts.addresses.iter().map(ToString::to_string).collect();
                annotations.insert(ADDRESSES.into(), addresses.join(","));
            }
        }
        annotations
    }
}

impl fmt::Debug for KeyPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = match self.source {
            Source::Issued => "issued",
            Source::Kept => "kept",
            Source::User => "user",
            Source::Requested(_) => "requested",
        };
        f.debug_struct("KeyPair").field("name", &self.name).field("source", &source).finish_non_exhaustive()
    }
}

fn annotation(identity: &Identity, namespace: &str) -> String {
    hash::annotation_of(identity.hashed_in.unwrap_or(namespace), identity.secret)
}

/// Whether a Secret was made by this operator or the one before it.
pub(super) fn is_ours(secret: &Secret) -> bool {
    let named = |map: &Option<BTreeMap<String, String>>| map.as_ref().is_some_and(|map| map.contains_key(SIGNER));
    named(&secret.metadata.labels) || named(&secret.metadata.annotations)
}

/// A new Secret's content.
pub(super) fn secret_of(certificate: String, private_key: String) -> Confidential {
    let data = BTreeMap::from([
        (CERTIFICATE_KEY.to_owned(), ByteString(certificate.into_bytes())),
        (PRIVATE_KEY_KEY.to_owned(), ByteString(private_key.into_bytes())),
    ]);
    Secret { data: Some(data), type_: Some("Opaque".into()), ..Secret::default() }.into()
}

/// The hash that the Secret carries, which pods that run already carry too. The date of expiry, which stands beside it,
/// tells whether both are of this certificate.
fn stored_hash(annotation: &str, secret: &Secret, facts: &Facts) -> Option<String> {
    let annotations = secret.metadata.annotations.as_ref()?;
    let current = annotations.get(EXPIRY) == Some(&facts.not_after.to_string());
    current.then(|| annotations.get(annotation).cloned()).flatten()
}

fn hash_of(secret: &Confidential) -> String {
    let part = |key| secret.text(key).unwrap_or_default();
    hash::of_text(&[part(CERTIFICATE_KEY), part(PRIVATE_KEY_KEY)].concat())
}
