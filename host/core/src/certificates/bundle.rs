//! What components trust: the operator's authority, certificates of others, and the roots that operating systems ship.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use pem::{EncodeConfig, LineEnding, Pem};

use super::{KeyPair, OPERATOR_NAMESPACE};
use crate::hash;

/// Name of the ConfigMap, in every namespace that needs it.
pub const BUNDLE_CONFIG_MAP: &str = "tigera-ca-bundle";
/// Key of its data with the certificates that are trusted besides the system's roots.
pub const BUNDLE_KEY: &str = "tigera-ca-bundle.crt";
/// Key of its data with the system's roots; mounted where an operating system keeps them.
pub const SYSTEM_BUNDLE_KEY: &str = "ca-bundle.crt";
/// Key of its data with the same certificates as [`BUNDLE_KEY`], under the name that clients of Kubernetes expect.
pub const CA_KEY: &str = "ca.crt";

/// Certificates that components trust.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedBundle {
    /// By annotation: what pods carry so that they restart when an entry changes.
    entries: BTreeMap<String, Entry>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Entry {
    certificates: String,
    hash: String,
}

impl TrustedBundle {
    /// A bundle of the system's roots only.
    pub fn new() -> Self {
        Self::default()
    }

    /// Trusts certificates (PEM) that stand in the Secret or ConfigMap of this name in the operator's namespace.
    pub fn trust(&mut self, name: &str, certificates: &str) {
        let entry = Entry { certificates: with_newline(certificates), hash: hash::of_text(certificates) };
        self.entries.insert(hash::annotation_of(OPERATOR_NAMESPACE, name), entry);
    }

    /// Trusts a pair that somebody else issued. What pods request for themselves is trusted through its signer, so it
    /// adds an annotation only.
    pub(super) fn trust_pair(&mut self, pair: &KeyPair) {
        match pair.certificate_pem() {
            Some(certificates) => self.trust(pair.secret_name(), certificates),
            None => {
                self.entries.insert(pair.hash_annotation().0, Entry::default());
            }
        }
    }

    /// What pods that mount the bundle carry, so that they restart when it changes.
    pub fn annotations(&self) -> BTreeMap<String, String> {
        let entries = self.entries.iter().map(|(annotation, entry)| (annotation.clone(), entry.hash.clone()));
        entries.chain([(hash::annotation("system"), system_hash())]).collect()
    }

    /// The certificates that are trusted besides the system's roots, PEM, each once.
    pub fn certificates(&self) -> String {
        let mut seen: Vec<&str> = self.entries.values().map(|entry| entry.certificates.as_str()).collect();
        seen.sort_unstable();
        seen.dedup();
        seen.concat()
    }

    /// The ConfigMap for one namespace.
    pub fn config_map(&self, namespace: &str) -> ConfigMap {
        let certificates = self.certificates();
        ConfigMap {
            metadata: ObjectMeta {
                name: Some(BUNDLE_CONFIG_MAP.into()),
                namespace: Some(namespace.into()),
                annotations: Some(self.annotations()),
                ..ObjectMeta::default()
            },
            data: Some(BTreeMap::from([
                (BUNDLE_KEY.to_owned(), certificates.clone()),
                (CA_KEY.to_owned(), certificates),
                (SYSTEM_BUNDLE_KEY.to_owned(), system_roots()),
            ])),
            ..ConfigMap::default()
        }
    }
}

/// The roots, PEM. Built on each call: some 200 kB that are not worth keeping for the few times they are needed.
fn system_roots() -> String {
    let config = EncodeConfig::new().set_line_ending(LineEnding::LF);
    let roots = webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter();
    roots.map(|root| pem::encode_config(&Pem::new("CERTIFICATE", root.as_ref()), config)).collect()
}

/// Their hash, worked out once: they are part of the program.
fn system_hash() -> String {
    static HASH: OnceLock<String> = OnceLock::new();
    HASH.get_or_init(|| hash::of_text(&system_roots())).clone()
}

fn with_newline(text: &str) -> String {
    if text.ends_with('\n') { text.into() } else { format!("{text}\n") }
}
