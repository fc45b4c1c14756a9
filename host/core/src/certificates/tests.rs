//! Certificates as a whole: issued, kept, replaced, the user's.

mod rotation;

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use chimera_crds::installation::CertificateManagement;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;

use super::authority::RENEW_BEFORE;
use super::certificate::{self, Facts};
use super::*;
use crate::confidential::Confidential;
use crate::message::Message;
use crate::testing::Fixed;

const CLUSTER_CA: &str = include_str!("testdata/rsa-ca.crt");
const CLUSTER_CA_KEY: &str = include_str!("testdata/rsa-ca.key");

fn now() -> Timestamp {
    "2030-01-01T00:00:00Z".parse().unwrap()
}

fn at(now: Timestamp, existing: &Secrets) -> Result<(Certificates, Vec<Message>), Vec<Message>> {
    establish(existing, &Trusted::default(), None, Fixed::at(now).env())
}

fn fresh() -> Certificates {
    at(now(), &Secrets::new()).unwrap().0
}

/// The Secrets as the operator's namespace holds them after a reconcile.
fn stored(certificates: &Certificates) -> Secrets {
    let pairs = [&certificates.ca, &certificates.node, &certificates.typha];
    pairs.into_iter().map(|pair| (pair.secret_name().to_owned(), pair.operator_secret().unwrap().into())).collect()
}

fn plain(certificate: &str, key: &str) -> Confidential {
    let value = |text: &str| ByteString(text.as_bytes().to_vec());
    let data = BTreeMap::from([("tls.crt".to_owned(), value(certificate)), ("tls.key".to_owned(), value(key))]);
    Secret { data: Some(data), ..Secret::default() }.into()
}

fn facts(pair: &KeyPair) -> Facts {
    Facts::of(pair.certificate_pem().unwrap()).unwrap()
}

fn texts(messages: &[Message]) -> Vec<String> {
    messages.iter().map(ToString::to_string).collect()
}

#[test]
fn a_new_cluster_gets_an_authority_and_a_pair_for_each_end() {
    let certificates = fresh();
    assert!(facts(&certificates.ca).is_ca);
    let typha = facts(&certificates.typha);
    assert_eq!((typha.subject.as_str(), typha.issuer.as_str()), ("typha-server", "tigera-operator-signer"));
    assert_eq!((typha.dns_names, typha.is_ca), (vec!["typha-server".to_owned()], false));
    assert_eq!(typha.not_after, now() + SignedDuration::from_hours(825 * 24));
    let chain = certificates.node.certificate_pem().unwrap();
    assert_eq!(chain.matches("BEGIN CERTIFICATE").count(), 2);
    let ca = certificates.ca.certificate_pem().unwrap();
    assert!(certificate::is_signed_by(chain, ca).unwrap());
}

#[test]
fn the_secret_says_who_signed_it_and_until_when() {
    let secret = fresh().typha.operator_secret().unwrap();
    let annotations = secret.metadata.annotations.unwrap();
    let get = |key: &str| annotations.get(&format!("certificates.operator.tigera.io/{key}")).map(String::as_str);
    assert_eq!(get("dns-names"), Some("typha-server"));
    assert_eq!(get("expiry"), Some("2032-04-05T00:00:00Z"));
    assert_eq!((get("issuer"), get("signer")), (Some("tigera-operator-signer"), Some("tigera-operator-signer")));
    assert!(annotations.contains_key("tigera-operator.hash.operator.tigera.io/typha-certs"));
    assert_eq!(secret.metadata.labels.unwrap().len(), 1);
    assert_eq!(secret.type_.as_deref(), Some("Opaque"));
}

#[test]
fn what_was_issued_is_kept_as_it_is() {
    let first = fresh();
    let (second, warnings) = at(now(), &stored(&first)).unwrap();
    assert_eq!(stored(&second), stored(&first).into_iter().collect());
    assert_eq!(second.typha.source(), &Source::Kept);
    assert_eq!(second.bundle, first.bundle);
    assert!(warnings.is_empty());
}

#[test]
fn a_pair_is_replaced_thirty_days_before_it_expires_and_the_authority_stays() {
    let first = fresh();
    let expiry = facts(&first.typha).not_after;
    let before = at(expiry - RENEW_BEFORE - SignedDuration::from_secs(1), &stored(&first)).unwrap().0;
    assert_eq!(before.typha.source(), &Source::Kept);
    let after = at(expiry - RENEW_BEFORE, &stored(&first)).unwrap().0;
    assert_eq!((after.typha.source(), after.ca.source()), (&Source::Issued, &Source::Kept));
    assert_ne!(after.typha.hash_annotation(), first.typha.hash_annotation());
}

#[test]
fn a_pair_of_another_authority_or_name_is_replaced() {
    let mut secrets = stored(&fresh());
    secrets.remove(CA_SECRET);
    // Draws other keys than before.
    let fixed = Fixed::at(now());
    fixed.env().randomness.key_pair().unwrap();
    let other = establish(&secrets, &Trusted::default(), None, fixed.env()).unwrap().0;
    assert_eq!(other.node.source(), &Source::Issued);

    let mut swapped = stored(&fresh());
    let typha = swapped.get(TYPHA_SECRET).unwrap().clone();
    swapped.insert(NODE_SECRET.into(), typha);
    assert_eq!(at(now(), &swapped).unwrap().0.node.source(), &Source::Issued);
}

#[test]
fn a_users_pair_is_copied_as_it_is_trusted_and_never_written() {
    let foreign = fresh();
    let (certificate, key) = (foreign.typha.certificate_pem().unwrap(), secret_key(&foreign.typha));
    let secrets = Secrets::from([(TYPHA_SECRET.into(), plain(certificate, &key))]);
    let (certificates, _) = at(now(), &secrets).unwrap();
    assert_eq!(certificates.typha.source(), &Source::User);
    assert!(certificates.typha.operator_secret().is_none());
    let copy = certificates.typha.secret_in("calico-system").unwrap();
    assert_eq!(copy.data, secrets.get(TYPHA_SECRET).unwrap().data);
    assert!(copy.metadata.labels.is_none());
    let trusted = "tigera-operator.hash.operator.tigera.io/typha-certs";
    assert!(certificates.bundle.annotations().contains_key(trusted));
    assert!(certificates.bundle.certificates().contains(certificate));
    assert_eq!(certificates.typha.common_name(), "typha-server");
}

fn secret_key(pair: &KeyPair) -> String {
    Confidential::from(pair.secret_in("meadow").unwrap()).text(PRIVATE_KEY_KEY).unwrap().to_owned()
}

#[test]
fn every_unusable_secret_of_the_user_is_named_with_its_fault() {
    let good = fresh();
    let certificate = good.node.certificate_pem().unwrap();
    let secrets = Secrets::from([
        (NODE_SECRET.into(), plain(certificate, &secret_key(&good.typha))),
        (TYPHA_SECRET.into(), plain("no certificate", "no key")),
    ]);
    let errors = texts(&at(now(), &secrets).unwrap_err());
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(
        errors[0].contains("Secret tigera-operator/node-certs: its private key does not belong to its certificate")
    );
    assert!(errors[1].contains("Secret tigera-operator/typha-certs: it holds no certificate in PEM form"));
}

#[test]
fn a_users_pair_that_expires_soon_warns_and_an_expired_one_is_refused() {
    let good = fresh();
    let pair = plain(good.node.certificate_pem().unwrap(), &secret_key(&good.node));
    let secrets = Secrets::from([(NODE_SECRET.into(), pair)]);
    let expiry = facts(&good.node).not_after;
    let (_, warnings) = at(expiry - SignedDuration::from_hours(24), &secrets).unwrap();
    assert!(texts(&warnings)[0].contains("its certificate expires at 2032-04-05T00:00:00Z"), "{warnings:?}");
    let errors = texts(&at(expiry + SignedDuration::from_secs(1), &secrets).unwrap_err());
    assert!(errors[0].contains("expired at") && errors[0].ends_with("(CHM0203)"), "{errors:?}");
}

#[test]
fn a_broken_authority_is_refused_instead_of_replaced() {
    let secrets = Secrets::from([(
        CA_SECRET.into(),
        plain(CLUSTER_CA, "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n"),
    )]);
    let errors = texts(&at(now(), &secrets).unwrap_err());
    assert!(errors[0].contains("Secret tigera-operator/tigera-ca-private"), "{errors:?}");
    assert!(errors[0].contains("openssl pkcs8"), "{errors:?}");
}

#[test]
fn an_authority_with_an_rsa_key_of_pkcs1_signs() {
    let secrets = Secrets::from([(CA_SECRET.into(), plain(CLUSTER_CA, CLUSTER_CA_KEY))]);
    let (certificates, _) = at(now(), &secrets).unwrap();
    let chain = certificates.typha.certificate_pem().unwrap();
    assert!(certificate::is_signed_by(chain, CLUSTER_CA).unwrap());
    assert_eq!(facts(&certificates.typha).issuer, "meadow-signer");
    assert_eq!(certificates.ca.source(), &Source::User);
}

#[test]
fn with_certificate_management_pods_request_and_the_signer_is_trusted() {
    let management = CertificateManagement {
        ca_cert: ByteString(CLUSTER_CA.as_bytes().to_vec()),
        signer_name: "example.com/signer".into(),
        key_algorithm: None,
        signature_algorithm: None,
    };
    let (certificates, _) =
        establish(&Secrets::new(), &Trusted::default(), Some(&management), Fixed::at(now()).env()).unwrap();
    assert!(certificates.node.secret_in("calico-system").is_none() && certificates.ca.operator_secret().is_none());
    assert_eq!(certificates.typha.common_name(), "typha-server");
    assert_eq!(certificates.bundle.certificates(), CLUSTER_CA);
    assert_eq!(certificates.bundle.annotations().len(), 4);
}

#[test]
fn the_bundle_holds_the_authority_and_the_systems_roots() {
    let certificates = fresh();
    let map = certificates.bundle.config_map("calico-system");
    let data = map.data.unwrap();
    assert_eq!(data.get(BUNDLE_KEY).unwrap(), certificates.ca.certificate_pem().unwrap());
    assert_eq!(data.get(CA_KEY), data.get(BUNDLE_KEY));
    let roots = data.get(SYSTEM_BUNDLE_KEY).unwrap();
    assert!(roots.matches("BEGIN CERTIFICATE").count() > 100);
    Facts::of(roots).unwrap();
    let annotations: Vec<_> = map.metadata.annotations.unwrap().into_keys().collect();
    let ca = "tigera-operator.hash.operator.tigera.io/tigera-ca-private";
    assert_eq!(annotations, ["hash.operator.tigera.io/system", ca]);
}

#[test]
fn no_key_shows_in_debug_output() {
    let certificates = fresh();
    let shown = format!("{certificates:?}");
    assert!(!shown.contains("PRIVATE KEY-----"), "{shown}");
}

/// Compares with what `openssl` prints of certificates that clusters hold already; skipped where there is no openssl.
#[test]
fn openssl_shows_a_pair_as_it_shows_those_of_the_past() {
    let certificates = fresh();
    let leaf = openssl(certificates.typha.certificate_pem().unwrap());
    let Some(leaf) = leaf else { return };
    let usages = "TLS Web Server Authentication, TLS Web Server Authentication, TLS Web Client Authentication";
    for line in
        ["subject=CN = typha-server", "issuer=CN = tigera-operator-signer", usages, "CA:FALSE", "DNS:typha-server"]
    {
        assert!(leaf.contains(&line.to_owned()), "{line} is not in {leaf:?}");
    }
    assert!(leaf.contains(&"X509v3 Basic Constraints: critical".to_owned()), "{leaf:?}");
}

fn openssl(pem: &str) -> Option<Vec<String>> {
    use std::io::Write as _;
    let shown = "subjectAltName,extendedKeyUsage,basicConstraints";
    let mut child = Command::new("openssl")
        .args(["x509", "-noout", "-subject", "-issuer", "-ext", shown])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(pem.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    // Newer versions write `CN=x`.
    let text = String::from_utf8(output.stdout).unwrap().replace("CN=", "CN = ");
    Some(text.lines().map(|line| line.trim().to_owned()).collect())
}
