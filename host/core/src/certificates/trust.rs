//! What pods trust already, as the cluster has it, and how far they have taken over what was written last.
//!
//! Whoever replaces a certificate that others trust has to keep the old one trusted until its last user is gone, and
//! must not use the new one before everybody trusts it. Nothing of that is remembered: it follows each time from the
//! bundle in the cluster, from the Secrets, and from what pod templates carry.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::authority::check_validity;
use super::certificate::{self, Facts};
use super::{CA_SECRET, KeyPair, TrustedBundle};
use crate::env::Env;
use crate::hash;

/// The bundle as workloads mount it, and how far they are with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trusted {
    /// Its certificates besides the system's roots, PEM; empty if there is no bundle yet.
    pub certificates: Arc<str>,
    /// The system's roots in it, PEM; none: the operator's own are used.
    pub roots: Option<Arc<str>>,
    /// How far pods are.
    pub uptake: Uptake,
}

/// How far pods are with what was written last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uptake {
    /// Whether it is known that every pod runs its current template.
    pub settled: bool,
    /// The hash annotations of each pod template that mounts the bundle.
    pub templates: Vec<BTreeMap<String, String>>,
}

impl Uptake {
    /// Whether every pod runs with one of the hashes by each name.
    fn is_of(&self, hashes: &Hashes) -> bool {
        let has = |template: &BTreeMap<String, String>, name, accepted: &BTreeSet<String>| {
            template.get(name).is_some_and(|hash| accepted.contains(hash))
        };
        self.settled
            && self.templates.iter().all(|template| hashes.iter().all(|(name, accepted)| has(template, name, accepted)))
    }

    /// Whether every pod trusts an authority of the operator in this namespace.
    pub(super) fn trusts(&self, authority: &str, namespace: &str) -> bool {
        let annotation = hash::annotation_of(namespace, CA_SECRET);
        self.is_of(&Hashes::from([(annotation, BTreeSet::from([hash::of_text(authority)]))]))
    }
}

/// Hashes that say the same, by annotation.
type Hashes = BTreeMap<String, BTreeSet<String>>;

/// What templates carry for a bundle. Whoever owns a pair that the bundle has too carries the pair's hash instead.
fn hashes(bundle: &TrustedBundle, pairs: &[&KeyPair]) -> Hashes {
    let own = |name: &String| pairs.iter().map(|pair| pair.hash_annotation()).find(|(own, _)| own == name);
    let accepted = |(name, hash): (String, String)| {
        let hashes = own(&name).map(|(_, hash)| hash).into_iter().chain([hash]).collect();
        (name, hashes)
    };
    bundle.annotations().into_iter().map(accepted).collect()
}

impl Trusted {
    /// Whether a certificate was signed by one that pods trust and that is still valid.
    pub(super) fn signed(&self, certificate: &str, env: Env<'_>) -> bool {
        self.valid(env).iter().any(|former| signed_by(certificate, former))
    }

    /// Certificates that stay trusted although nothing asks for them: all until every pod runs with the bundle's new
    /// hashes, and as long as a pair in use was signed by it.
    pub(super) fn former(
        &self,
        bundle: &TrustedBundle,
        pairs: &[&KeyPair],
        in_use: &[&str],
        env: Env<'_>,
    ) -> Vec<String> {
        let mut former = self.valid(env);
        if self.uptake.is_of(&hashes(bundle, pairs)) {
            former.retain(|former| in_use.iter().any(|certificate| signed_by(certificate, former)));
        }
        former
    }

    fn valid(&self, env: Env<'_>) -> Vec<String> {
        let now = env.clock.now();
        let valid = |text: &String| Facts::of(text).is_ok_and(|facts| check_validity(&facts, now).is_ok());
        certificate::each(&self.certificates).into_iter().filter(valid).collect()
    }
}

fn signed_by(certificate: &str, authority: &str) -> bool {
    certificate::is_signed_by(certificate, authority).unwrap_or_default()
}
