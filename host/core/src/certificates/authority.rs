//! The operator's certificate authority: signs the certificates of components.

use jiff::{SignedDuration, Timestamp};
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyUsagePurpose,
    PublicKeyData, SanType,
};
use time::OffsetDateTime;

use super::certificate::{self, Facts};
use super::key_pair::{CERTIFICATE_KEY, KeyPair, PRIVATE_KEY_KEY, Source, is_ours, secret_of};
use super::{CA_NAME, CA_SECRET, Identity, private_key};
use crate::confidential::Confidential;
use crate::env::Env;

/// How long the authority's certificate is good: a hundred years, since replacing it restarts everything.
const CA_LIFETIME: SignedDuration = SignedDuration::from_hours(36_500 * 24);
/// How long a component's certificate is good: the longest that all TLS clients accept.
const LEAF_LIFETIME: SignedDuration = SignedDuration::from_hours(825 * 24);
/// Certificates start a little in the past, for nodes whose clocks are late.
const BACKDATE: SignedDuration = SignedDuration::from_mins(5);
/// A certificate is replaced this long before it expires.
pub(super) const RENEW_BEFORE: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Why a certificate cannot be issued or used.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    /// A part of the Secret is not there.
    #[error("it has no {0}")]
    Missing(&'static str),
    /// The certificate cannot be read.
    #[error(transparent)]
    Certificate(#[from] certificate::Error),
    /// The private key cannot be used.
    #[error(transparent)]
    PrivateKey(#[from] private_key::Error),
    /// Certificate and key do not belong together.
    #[error("its private key does not belong to its certificate")]
    Mismatch,
    /// The certificate does not allow to sign others.
    #[error("its certificate is not one of a certificate authority (basic constraints CA:TRUE)")]
    NotAnAuthority,
    /// The certificate is not valid yet.
    #[error("its certificate is valid only from {0} on")]
    NotYet(Timestamp),
    /// The certificate is not valid any more.
    #[error("its certificate expired at {0}")]
    Expired(Timestamp),
    /// The library failed to make or sign something.
    #[error("failed to issue a certificate")]
    Issue(#[from] rcgen::Error),
    /// The end of a validity is outside of what can be represented.
    #[error("failed to work out the dates of a certificate")]
    Date,
}

/// An authority that can sign.
pub(super) struct Authority {
    pub(super) pair: KeyPair,
    certificate: String,
    issuer: Issuer<'static, rcgen::KeyPair>,
}

impl Authority {
    /// Makes a new one.
    pub(super) fn new(env: Env<'_>) -> Result<Self, Error> {
        let key = env.randomness.key_pair()?;
        let mut params = params(CA_NAME, CA_LIFETIME, env)?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages.push(KeyUsagePurpose::KeyCertSign);
        let certificate = params.self_signed(&key)?;
        let pair = issued(&Identity::named(CA_SECRET, CA_NAME), certificate.pem(), &key, env)?;
        Ok(Self { pair, certificate: certificate.pem(), issuer: Issuer::new(params, key) })
    }

    /// Takes up one that exists, made by an operator or by the user.
    pub(super) fn existing(secret: &Confidential, env: Env<'_>) -> Result<Self, Error> {
        let certificate = part(secret, CERTIFICATE_KEY)?;
        let facts = Facts::of(certificate)?;
        let key = private_key::read(part(secret, PRIVATE_KEY_KEY)?)?;
        if !facts.is_ca {
            return Err(Error::NotAnAuthority);
        }
        if !belongs(&key, &facts) {
            return Err(Error::Mismatch);
        }
        check_validity(&facts, env.clock.now())?;
        let der = certificate::first(certificate)?;
        let issuer = Issuer::from_ca_cert_der(&der.as_slice().into(), key)?;
        let source = if is_ours(secret) { Source::Kept } else { Source::User };
        let pair = KeyPair::new(&Identity::named(CA_SECRET, CA_NAME), env.namespace, source, secret.clone(), facts);
        Ok(Self { pair, certificate: certificate.to_owned(), issuer })
    }

    /// Whether it signed the first certificate of a text.
    pub(super) fn signed(&self, certificate: &str) -> Result<bool, certificate::Error> {
        certificate::is_signed_by(certificate, &self.certificate)
    }

    /// Its certificate, PEM.
    pub(super) fn certificate(&self) -> &str {
        &self.certificate
    }

    /// Issues a certificate for both ends of a connection, with a new key.
    pub(super) fn issue(&self, identity: &Identity, env: Env<'_>) -> Result<KeyPair, Error> {
        let key = env.randomness.key_pair()?;
        let certificate = leaf_params(identity, LEAF_LIFETIME, env)?.signed_by(&key, &self.issuer)?;
        issued(identity, self.chain(&certificate), &key, env)
    }

    /// Signs the same for somebody else's key; gives the certificate and its chain, PEM.
    pub(super) fn sign(
        &self,
        identity: &Identity,
        key: &impl PublicKeyData,
        at_most: Option<SignedDuration>,
        env: Env<'_>,
    ) -> Result<String, Error> {
        let lifetime = at_most.map_or(LEAF_LIFETIME, |at_most| at_most.min(LEAF_LIFETIME));
        let certificate = leaf_params(identity, lifetime, env)?.signed_by(key, &self.issuer)?;
        Ok(self.chain(&certificate))
    }

    fn chain(&self, certificate: &Certificate) -> String {
        [&certificate.pem(), self.certificate.as_str()].concat()
    }
}

/// Fails if a certificate is not valid at a time.
pub(super) fn check_validity(facts: &Facts, now: Timestamp) -> Result<(), Error> {
    // The time of the look is no part of the message: it would be another message each time.
    match (facts.not_before, facts.not_after) {
        (from, _) if now < from => Err(Error::NotYet(from)),
        (_, to) if now > to => Err(Error::Expired(to)),
        _ => Ok(()),
    }
}

/// Whether a key is the one that a certificate is about.
pub(super) fn belongs(key: &rcgen::KeyPair, facts: &Facts) -> bool {
    key.subject_public_key_info() == facts.public_key
}

/// A part of a Secret.
pub(super) fn part<'a>(secret: &'a Confidential, key: &'static str) -> Result<&'a str, Error> {
    secret.text(key).filter(|text| !text.trim().is_empty()).ok_or(Error::Missing(key))
}

fn issued(identity: &Identity, certificate: String, key: &rcgen::KeyPair, env: Env<'_>) -> Result<KeyPair, Error> {
    let facts = Facts::of(&certificate)?;
    let secret = secret_of(certificate, key.serialize_pem());
    Ok(KeyPair::new(identity, env.namespace, Source::Issued, secret, facts))
}

fn leaf_params(identity: &Identity, lifetime: SignedDuration, env: Env<'_>) -> Result<CertificateParams, Error> {
    let mut params = params(&identity.common_name, lifetime, env)?;
    params.is_ca = IsCa::ExplicitNoCa;
    let names = identity.dns_names.iter().map(|name| Ok(SanType::DnsName(name.as_str().try_into()?)));
    params.subject_alt_names = names.collect::<Result<_, rcgen::Error>>()?;
    params.subject_alt_names.extend(identity.addresses.iter().map(|address| SanType::IpAddress(*address)));
    // Server authentication stands there twice, as in every certificate that clusters hold already.
    params.extended_key_usages = vec![
        ExtendedKeyUsagePurpose::ServerAuth,
        ExtendedKeyUsagePurpose::ServerAuth,
        ExtendedKeyUsagePurpose::ClientAuth,
    ];
    Ok(params)
}

fn params(name: &str, lifetime: SignedDuration, env: Env<'_>) -> Result<CertificateParams, Error> {
    let now = env.clock.now();
    let mut params = CertificateParams::default();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    params.serial_number = Some(env.randomness.serial()?);
    params.not_before = date(now.checked_sub(BACKDATE).map_err(|_| Error::Date)?)?;
    params.not_after = date(now.checked_add(lifetime).map_err(|_| Error::Date)?)?;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment];
    params.use_authority_key_identifier_extension = true;
    Ok(params)
}

fn date(at: Timestamp) -> Result<OffsetDateTime, Error> {
    OffsetDateTime::from_unix_timestamp(at.as_second()).map_err(|_| Error::Date)
}
