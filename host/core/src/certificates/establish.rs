//! Works out which key pairs there are: the user's, those issued earlier, or new ones.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use chimera_crds::installation::CertificateManagement;

use super::authority::{self, Authority, Error, RENEW_BEFORE, belongs, part};
use super::certificate::Facts;
use super::key_pair::{CERTIFICATE_KEY, KeyPair, PRIVATE_KEY_KEY, Source, is_ours};
use super::{
    CA_SECRET, Certificates, GOLDMANE_SECRET, Identity, NODE_NAME, NODE_SECRET, TYPHA_NAME, TYPHA_SECRET, Trusted,
    TrustedBundle, private_key,
};
use crate::codes;
use crate::confidential::Confidential;
use crate::env::Env;
use crate::installation::{InstallationConfig, InstallationInputs};
use crate::message::Message;

/// The Secrets that exist in the operator's namespace, by name.
pub type Secrets = BTreeMap<String, Confidential>;

/// Key pairs and bundle of an Installation, with warnings about those that work but will not for long.
///
/// A pair is issued anew thirty days before it expires, and when the authority changes: then as soon as every pod
/// trusts the new one. What was trusted before stays trusted until no pod needs it.
///
/// # Errors
/// One message for each Secret that cannot be used, and one if the machine fails to issue.
pub fn establish(
    existing: &Secrets,
    trusted: &Trusted,
    management: Option<&CertificateManagement>,
    env: Env<'_>,
) -> Result<(Certificates, Vec<Message>), Vec<Message>> {
    let authority = match management {
        Some(management) => Signer::Cluster(management),
        None => Signer::Own(Box::new(own_authority(existing, env).map_err(|message| vec![message])?)),
    };
    let pair = |name, dns_name| authority.pair(existing.get(name), trusted, &Identity::named(name, dns_name), env);
    let (node, typha) = match (pair(NODE_SECRET, NODE_NAME), pair(TYPHA_SECRET, TYPHA_NAME)) {
        (Ok(node), Ok(typha)) => (node, typha),
        (node, typha) => return Err([node.err(), typha.err()].into_iter().flatten().collect()),
    };
    // calico-node talks to Goldmane as well.
    let mut bundle = authority.bundle(trusted, &[&node, &typha], env).with_users(existing, &[GOLDMANE_SECRET]);
    let in_use: Vec<_> =
        [NODE_SECRET, TYPHA_SECRET, GOLDMANE_SECRET].iter().filter_map(|name| existing.get(*name)).collect();
    let in_use: Vec<_> = in_use.iter().filter_map(|secret| secret.text(CERTIFICATE_KEY)).collect();
    bundle.trust_former(trusted.former(&bundle, &[&node, &typha], &in_use, env));
    let ca = authority.into_pair(env);
    let warnings = [&ca, &node, &typha].into_iter().filter_map(|pair| expiring(pair, env)).collect();
    Ok((Certificates { ca, node, typha, bundle }, warnings))
}

/// Issues the key pairs of components beside the Installation's own, by the same authority.
pub struct Issuer<'a> {
    signer: Signer<'a>,
    existing: &'a Secrets,
    trusted: &'a Trusted,
    env: Env<'a>,
}

impl<'a> Issuer<'a> {
    /// With the authority of an Installation. `existing`: Secrets of the operator's namespace, of which only those asked
    /// for later matter.
    ///
    /// # Errors
    /// If the authority cannot sign.
    pub fn new(
        certificates: &Certificates,
        management: Option<&'a CertificateManagement>,
        (existing, trusted): (&'a Secrets, &'a Trusted),
        env: Env<'a>,
    ) -> Result<Self, Message> {
        let signer = match management {
            Some(management) => Signer::Cluster(management),
            None => Signer::Own(Box::new(authority_of(&certificates.ca, env)?)),
        };
        Ok(Self { signer, existing, trusted, env })
    }

    /// With the authority of an Installation and what was read for it, the Secrets of other components among it.
    ///
    /// # Errors
    /// If the authority cannot sign.
    pub fn of(config: &'a InstallationConfig, inputs: &'a InstallationInputs, env: Env<'a>) -> Result<Self, Message> {
        let management = config.spec.certificate_management.as_ref();
        Self::new(&config.certificates, management, (&inputs.secrets, &inputs.trusted), env)
    }

    /// A pair: the user's, the one issued earlier while it is good, or a new one; with a warning about one that is the
    /// user's and expires soon.
    ///
    /// # Errors
    /// If the user's cannot be used, or the machine fails to issue.
    pub fn pair(&self, identity: &Identity) -> Result<(KeyPair, Option<Message>), Message> {
        let pair = self.signer.pair(self.existing.get(identity.secret), self.trusted, identity, self.env)?;
        let warning = expiring(&pair, self.env);
        Ok((pair, warning))
    }
}

/// The authority of which an Installation tells, able to sign.
fn authority_of(ca: &KeyPair, env: Env<'_>) -> Result<Authority, Message> {
    let secret = ca.secret().ok_or(Error::Missing(CERTIFICATE_KEY));
    let authority = secret.and_then(|secret| Authority::existing(secret, env));
    authority.map_err(|error| unusable(CA_SECRET, &error, env))
}

/// Who signs what the user did not supply.
enum Signer<'a> {
    Own(Box<Authority>),
    Cluster(&'a CertificateManagement),
}

impl Signer<'_> {
    fn pair(
        &self,
        secret: Option<&Confidential>,
        trusted: &Trusted,
        identity: &Identity,
        env: Env<'_>,
    ) -> Result<KeyPair, Message> {
        let pair = match (self, secret) {
            (_, Some(secret)) if !is_ours(secret) => users(identity, secret, env),
            (Self::Cluster(management), _) => Ok(KeyPair::requested(identity, env.namespace, management)),
            (Self::Own(authority), secret) => {
                let kept = secret.and_then(|secret| keep(authority, trusted, identity, secret, env));
                kept.map_or_else(|| authority.issue(identity, env), Ok)
            }
        };
        pair.map_err(|error| unusable(identity.secret, &error, env))
    }

    fn bundle(&self, trusted: &Trusted, pairs: &[&KeyPair], env: Env<'_>) -> TrustedBundle {
        let mut bundle = TrustedBundle::new(env.namespace, trusted);
        match self {
            Self::Own(authority) => bundle.trust(CA_SECRET, authority.certificate()),
            Self::Cluster(management) => bundle.trust(CA_SECRET, &String::from_utf8_lossy(&management.ca_cert.0)),
        }
        let foreign = pairs.iter().filter(|pair| matches!(pair.source(), Source::User | Source::Requested(_)));
        foreign.for_each(|pair| bundle.trust_pair(pair));
        bundle
    }

    fn into_pair(self, env: Env<'_>) -> KeyPair {
        match self {
            Self::Own(authority) => authority.pair,
            Self::Cluster(management) => {
                KeyPair::requested(&Identity::named(CA_SECRET, super::CA_NAME), env.namespace, management)
            }
        }
    }
}

/// The operator's own authority. One that is broken is never replaced silently: everything that trusts it would stop.
fn own_authority(existing: &Secrets, env: Env<'_>) -> Result<Authority, Message> {
    let authority = match existing.get(CA_SECRET) {
        Some(secret) => Authority::existing(secret, env),
        None => Authority::new(env),
    };
    authority.map_err(|error| unusable(CA_SECRET, &error, env))
}

/// The user's own pair, checked.
fn users(identity: &Identity, secret: &Confidential, env: Env<'_>) -> Result<KeyPair, Error> {
    let facts = Facts::of(part(secret, CERTIFICATE_KEY)?)?;
    let key = part(secret, PRIVATE_KEY_KEY)?;
    private_key::check(key)?;
    // Components read more forms of a key than can be compared here.
    if private_key::read(key).is_ok_and(|key| !belongs(&key, &facts)) {
        return Err(Error::Mismatch);
    }
    authority::check_validity(&facts, env.clock.now())?;
    Ok(KeyPair::new(identity, env.namespace, Source::User, secret.clone(), facts))
}

/// A pair that an operator issued earlier, if it is still good. The kind of its key does not matter. One by a former
/// authority is good until every pod trusts the present one.
fn keep(
    authority: &Authority,
    trusted: &Trusted,
    identity: &Identity,
    secret: &Confidential,
    env: Env<'_>,
) -> Option<KeyPair> {
    let certificate = secret.text(CERTIFICATE_KEY)?;
    private_key::check(secret.text(PRIVATE_KEY_KEY)?).ok()?;
    let facts = Facts::of(certificate).ok()?;
    let former = || !trusted.uptake.trusts(authority.certificate(), env.namespace) && trusted.signed(certificate, env);
    let signed = authority.signed(certificate).ok()? || former();
    let good = is_about(&facts, identity) && lasts(&facts, env) && signed;
    good.then(|| KeyPair::new(identity, env.namespace, Source::Kept, secret.clone(), facts))
}

/// Whether a certificate is good for exactly these names and addresses, in whatever order it has them.
fn is_about(facts: &Facts, identity: &Identity) -> bool {
    let names = |names: &[String]| names.iter().cloned().collect::<BTreeSet<_>>();
    let addresses = |addresses: &[IpAddr]| addresses.iter().copied().collect::<BTreeSet<_>>();
    names(&facts.dns_names) == names(&identity.dns_names)
        && addresses(&facts.addresses) == addresses(&identity.addresses)
}

fn lasts(facts: &Facts, env: Env<'_>) -> bool {
    let now = env.clock.now();
    facts.not_before <= now && now.checked_add(RENEW_BEFORE).is_ok_and(|then| then < facts.not_after)
}

/// A warning about a user's pair that will expire soon: only the user can replace it.
fn expiring(pair: &KeyPair, env: Env<'_>) -> Option<Message> {
    let soon = matches!(pair.source(), Source::User) && !lasts(pair.facts(), env);
    soon.then(|| {
        let detail = format!("its certificate expires at {}", pair.facts().not_after);
        Message::new(&codes::CERTIFICATE_EXPIRING, detail).on(secret_label(pair.secret_name(), env))
    })
}

pub(super) fn unusable(name: &str, error: &Error, env: Env<'_>) -> Message {
    Message::new(&codes::CERTIFICATE_UNUSABLE, error.to_string()).on(secret_label(name, env))
}

fn secret_label(name: &str, env: Env<'_>) -> String {
    format!("Secret {}/{name}", env.namespace)
}
