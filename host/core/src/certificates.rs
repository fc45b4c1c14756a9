//! Key pairs of components, the operator's own certificate authority, and the bundle of certificates that components trust.

mod authority;
mod bundle;
mod certificate;
mod establish;
mod identity;
mod key_pair;
mod private_key;
mod request_signer;
#[cfg(test)]
mod tests;
mod trust;

pub use bundle::{BUNDLE_CONFIG_MAP, BUNDLE_KEY, CA_KEY, SYSTEM_BUNDLE_KEY, TrustedBundle};
pub use establish::{Issuer, Secrets, establish};
pub use identity::{Identity, service_names};
pub use key_pair::{CERTIFICATE_KEY, KeyPair, PRIVATE_KEY_KEY, SIGNER, Source};
pub use request_signer::RequestSigner;
pub use trust::{Trusted, Uptake};

use authority::RENEW_BEFORE;
use jiff::Timestamp;

/// Namespace where the operator keeps what is its own.
pub const OPERATOR_NAMESPACE: &str = crate::names::TIGERA_OPERATOR;
/// The operator's certificate authority.
pub const CA_SECRET: &str = "tigera-ca-private";
/// Key pair by which calico-node identifies itself to Typha.
pub const NODE_SECRET: &str = "node-certs";
/// Key pair by which Typha identifies itself to calico-node.
pub const TYPHA_SECRET: &str = "typha-certs";
/// Key pair by which Goldmane identifies itself to calico-node and to the console's backend.
pub const GOLDMANE_SECRET: &str = "goldmane-key-pair";
/// Key pair by which the console for flows identifies itself to browsers.
pub const WHISKER_SECRET: &str = "whisker-key-pair";
/// Key pair by which the console's backend identifies itself to Goldmane.
pub const WHISKER_BACKEND_SECRET: &str = "whisker-backend-key-pair";
/// Common name of the operator's certificate authority.
pub const CA_NAME: &str = "tigera-operator-signer";
/// Name in calico-node's certificate, which Typha checks.
pub const NODE_NAME: &str = "typha-client";
/// Name in Typha's certificate, which calico-node checks.
pub const TYPHA_NAME: &str = "typha-server";

/// Everything that an Installation needs of certificates.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificates {
    /// The authority that issues the pairs; has no Secret if pods request theirs by CertificateSigningRequest.
    pub ca: KeyPair,
    /// calico-node's pair.
    pub node: KeyPair,
    /// Typha's pair.
    pub typha: KeyPair,
    /// What both trust.
    pub bundle: TrustedBundle,
}

impl Certificates {
    /// When each certificate that is in a Secret expires, by the Secret's name.
    pub fn expiries(&self) -> impl Iterator<Item = (&'static str, Timestamp)> {
        [&self.ca, &self.node, &self.typha].into_iter().filter_map(|pair| Some((pair.secret_name(), pair.expires()?)))
    }

    /// The next moment at which something has to be done about one of them: renewing it, or telling its owner.
    pub fn next_change(&self, now: Timestamp) -> Option<Timestamp> {
        next_change(&[&self.ca, &self.node, &self.typha], now)
    }
}

/// The next moment at which something has to be done about one of these pairs: renewing it, or telling its owner.
pub fn next_change(pairs: &[&KeyPair], now: Timestamp) -> Option<Timestamp> {
    let ends = pairs.iter().filter_map(|pair| pair.expires());
    let moments = ends.flat_map(|end| [end.checked_sub(RENEW_BEFORE).ok(), Some(end)]).flatten();
    moments.filter(|moment| *moment > now).min()
}

/// Checks that a text holds a certificate in PEM form.
///
/// # Errors
/// What is wrong with it, for a message.
pub(crate) fn check_certificate(text: &str) -> Result<(), String> {
    certificate::Facts::of(text).map(drop).map_err(|error| error.to_string())
}
