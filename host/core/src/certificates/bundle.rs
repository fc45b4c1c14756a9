//! What components trust: the operator's authority, certificates of others, and the roots that operating systems ship.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use pem::{EncodeConfig, LineEnding, Pem};

use super::certificate::each;
use super::key_pair::is_ours;
use super::{CERTIFICATE_KEY, KeyPair, Secrets, Trusted};
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
    /// Of the operator.
    namespace: String,
    /// By annotation: what pods carry so that they restart when an entry changes.
    entries: BTreeMap<String, Entry>,
    /// Certificates that were trusted before and still are, PEM. Pods need not restart for them.
    former: Vec<String>,
    /// The text in the cluster. It stays while it says the same: a ConfigMap is not written for its line breaks.
    written: Arc<str>,
    /// The roots in the cluster; none: the operator's own.
    roots: Option<Roots>,
    /// The ConfigMap of a component that talks to other components only, and trusts no roots.
    private: Option<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Roots {
    certificates: Arc<str>,
    hash: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Entry {
    certificates: String,
    hash: String,
}

impl TrustedBundle {
    /// A bundle of the system's roots only: those that pods have already, if there are any.
    pub fn new(namespace: &str, trusted: &Trusted) -> Self {
        let roots =
            |certificates: &Arc<str>| Roots { certificates: certificates.clone(), hash: hash::of_text(certificates) };
        Self {
            namespace: namespace.to_owned(),
            written: trusted.certificates.clone(),
            roots: trusted.roots.as_ref().map(roots),
            ..Self::default()
        }
    }

    /// A bundle of the same certificates for a component that talks to other components only: without the system's
    /// roots, in a ConfigMap of this name.
    #[must_use]
    pub fn private(&self, config_map: &'static str) -> Self {
        Self { private: Some(config_map), ..self.clone() }
    }

    /// Trusts pairs, too, that the user brought: those of these Secrets that are there and not the operator's own.
    #[must_use]
    pub fn with_users(mut self, secrets: &Secrets, names: &[&str]) -> Self {
        for name in names {
            let users = secrets.get(*name).filter(|secret| !is_ours(secret));
            if let Some(certificates) = users.and_then(|secret| secret.text(CERTIFICATE_KEY)) {
                self.trust(name, certificates);
            }
        }
        self
    }

    /// Name of its ConfigMap.
    pub fn name(&self) -> &'static str {
        self.private.unwrap_or(BUNDLE_CONFIG_MAP)
    }

    /// Trusts certificates (PEM) that stand in the Secret or ConfigMap of this name in the operator's namespace.
    pub fn trust(&mut self, name: &str, certificates: &str) {
        let entry = Entry { certificates: with_newline(certificates), hash: hash::of_text(certificates) };
        self.entries.insert(hash::annotation_of(&self.namespace, name), entry);
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

    /// Goes on trusting certificates (PEM) that nothing asks for any more.
    pub(super) fn trust_former(&mut self, certificates: Vec<String>) {
        self.former = certificates;
    }

    /// What pods that mount the bundle carry, so that they restart when it changes.
    pub fn annotations(&self) -> BTreeMap<String, String> {
        let entries = self.entries.iter().map(|(annotation, entry)| (annotation.clone(), entry.hash.clone()));
        let system = || self.roots.as_ref().map_or_else(system_hash, |roots| roots.hash.clone());
        let system = self.private.is_none().then(|| (hash::annotation("system"), system()));
        entries.chain(system).collect()
    }

    /// The certificates that are trusted besides the system's roots, PEM, each once.
    pub fn certificates(&self) -> String {
        let mut texts: Vec<&str> = self.entries.values().map(|entry| entry.certificates.as_str()).collect();
        texts.sort_unstable();
        texts.dedup();
        let mut wanted = texts.concat();
        let stated: BTreeSet<_> = each(&wanted).into_iter().collect();
        wanted.extend(self.former.iter().filter(|former| !stated.contains(*former)).map(String::as_str));
        if says_the_same(&self.written, &wanted) { self.written.to_string() } else { wanted }
    }

    /// The ConfigMap for one namespace.
    pub fn config_map(&self, namespace: &str) -> ConfigMap {
        let certificates = self.certificates();
        ConfigMap {
            metadata: ObjectMeta {
                name: Some(self.name().into()),
                namespace: Some(namespace.into()),
                annotations: Some(self.annotations()),
                ..ObjectMeta::default()
            },
            data: Some(BTreeMap::from([
                (BUNDLE_KEY.to_owned(), certificates.clone()),
                (CA_KEY.to_owned(), certificates),
                (SYSTEM_BUNDLE_KEY.to_owned(), self.system_roots()),
            ])),
            ..ConfigMap::default()
        }
    }

    fn system_roots(&self) -> String {
        if self.private.is_some() {
            return String::new();
        }
        self.roots.as_ref().map_or_else(system_roots, |roots| roots.certificates.to_string())
    }
}

/// Whether two texts hold the same certificates, whatever else stands in them and in which order.
fn says_the_same(a: &str, b: &str) -> bool {
    let certificates = |text| each(text).into_iter().collect::<BTreeSet<_>>();
    !a.is_empty() && certificates(a) == certificates(b)
}

/// The roots, PEM. Some 200 kB, kept because writing them anew is a sixth of all the work of rendering.
fn system_roots() -> String {
    static ROOTS: OnceLock<String> = OnceLock::new();
    let write = || {
        let config = EncodeConfig::new().set_line_ending(LineEnding::LF);
        let roots = webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter();
        roots.map(|root| pem::encode_config(&Pem::new("CERTIFICATE", root.as_ref()), config)).collect()
    };
    ROOTS.get_or_init(write).clone()
}

/// Their hash, worked out once: they are part of the program.
fn system_hash() -> String {
    static HASH: OnceLock<String> = OnceLock::new();
    HASH.get_or_init(|| hash::of_text(&system_roots())).clone()
}

fn with_newline(text: &str) -> String {
    if text.ends_with('\n') { text.into() } else { format!("{text}\n") }
}
