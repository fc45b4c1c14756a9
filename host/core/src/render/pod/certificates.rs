//! How pods get at certificates: the bundle that they trust, and their own key pair.

use chimera_crds::installation::CertificateManagement;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{
    ConfigMapVolumeSource, Container, EmptyDirVolumeSource, EnvVar, ResourceRequirements, SecretVolumeSource,
    SecurityContext, Volume, VolumeMount,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::{component_command, env, volume};
use crate::certificates::{
    BUNDLE_CONFIG_MAP, CA_KEY, CERTIFICATE_KEY, KeyPair, PRIVATE_KEY_KEY, SYSTEM_BUNDLE_KEY, Source, TrustedBundle,
};
use crate::images::Image;
use crate::installation::config::InstallationConfig;
use crate::names::CALICO_SYSTEM;

/// The operator's own certificates, in containers.
pub(crate) const TRUSTED_CERTIFICATES: &str = "/etc/pki/tls/certs/tigera-ca-bundle.crt";

const CERTIFICATES_DIR: &str = "/etc/pki/tls/certs";
/// Where programs look for the certificates of public authorities.
const SYSTEM_CERTIFICATES: &str = "/etc/pki/tls/cert.pem";

/// The bundle as a volume.
pub(crate) fn bundle_volume() -> Volume {
    let source = ConfigMapVolumeSource { name: BUNDLE_CONFIG_MAP.into(), ..ConfigMapVolumeSource::default() };
    Volume { name: BUNDLE_CONFIG_MAP.into(), config_map: Some(source), ..Volume::default() }
}

/// Where containers have the bundle.
pub(crate) fn bundle_mounts() -> [VolumeMount; 2] {
    let system = volume::read_only(BUNDLE_CONFIG_MAP, SYSTEM_CERTIFICATES);
    [
        volume::read_only(BUNDLE_CONFIG_MAP, CERTIFICATES_DIR),
        VolumeMount { sub_path: Some(SYSTEM_BUNDLE_KEY.into()), ..system },
    ]
}

/// A bundle without roots as a volume.
pub(crate) fn private_bundle_volume(bundle: &TrustedBundle) -> Volume {
    let name = bundle.name();
    let source = ConfigMapVolumeSource { name: name.into(), ..ConfigMapVolumeSource::default() };
    Volume { name: name.into(), config_map: Some(source), ..Volume::default() }
}

/// Where containers have a bundle without roots.
pub(crate) fn private_bundle_mount(bundle: &TrustedBundle) -> VolumeMount {
    volume::read_only(bundle.name(), CERTIFICATES_DIR)
}

/// A key pair as a volume: its Secret, or memory that the pod's first container fills.
pub(crate) fn key_pair_volume(pair: &KeyPair) -> Volume {
    let name = pair.secret_name();
    let volume = Volume { name: name.into(), ..Volume::default() };
    match pair.source() {
        Source::Requested(_) => {
            let memory = EmptyDirVolumeSource { medium: Some("Memory".into()), ..EmptyDirVolumeSource::default() };
            Volume { empty_dir: Some(memory), ..volume }
        }
        Source::Issued | Source::Kept | Source::User => {
            let secret = SecretVolumeSource { secret_name: Some(name.into()), ..SecretVolumeSource::default() };
            Volume { secret: Some(secret), ..volume }
        }
    }
}

/// Where a container has a key pair.
pub(crate) fn key_pair_mount(pair: &KeyPair) -> VolumeMount {
    volume::read_only(pair.secret_name(), &directory(pair))
}

/// The certificate's file.
pub(crate) fn certificate_file(pair: &KeyPair) -> String {
    format!("{}/{CERTIFICATE_KEY}", directory(pair))
}

/// The private key's file.
pub(crate) fn key_file(pair: &KeyPair) -> String {
    format!("{}/{PRIVATE_KEY_KEY}", directory(pair))
}

/// What the other end of a connection must show in its certificate: a name, a URI, or either.
pub(crate) fn expected(pair: &KeyPair, name: &str, uri: &str) -> Vec<EnvVar> {
    let common_name = Some(pair.common_name()).filter(|name| !name.is_empty());
    let name = common_name.map(|common_name| env::value(name, common_name));
    name.into_iter().chain(pair.uri_san().map(|uri_san| env::value(uri, uri_san))).collect()
}

fn directory(pair: &KeyPair) -> String {
    format!("/{}", pair.secret_name())
}

/// The certificates (PEM) by which a client knows the holder of a pair: of whoever issued it, or itself where the user
/// brought it, who need not say who issued it.
pub(crate) fn known_by(pair: &KeyPair, config: &InstallationConfig) -> Option<ByteString> {
    if let Source::Requested(by) = pair.source() {
        return Some(ByteString(by.ca_cert.0.clone()));
    }
    let text: Option<String> = match pair.source() {
        Source::User => pair.certificate_pem().map(Into::into),
        _ => pair.issuer_pem().or_else(|| config.certificates.ca.certificate_pem().map(Into::into)),
    };
    text.map(|text| ByteString(text.into_bytes()))
}

/// Who a pod is in the certificate that it requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    /// Common name.
    pub(crate) common_name: &'a str,
    /// DNS names.
    pub(crate) dns_names: &'a [&'a str],
}

/// The container that requests the pod's certificate before the others start; none if the key pair is in a Secret.
pub(crate) fn provisioner(
    config: &InstallationConfig,
    pair: &KeyPair,
    subject: Subject<'_>,
    security_context: SecurityContext,
) -> Option<Container> {
    let Source::Requested(by) = pair.source() else { return None };
    let name = pair.secret_name();
    Some(Container {
        name: format!("{name}-key-cert-provisioner"),
        image: Some(config.images.reference(Image::Calico)),
        command: component_command(&["key-cert-provisioner"]),
        env: Some(provisioner_env(name, by, subject)),
        resources: Some(provisioner_resources()),
        security_context: Some(security_context),
        volume_mounts: Some(vec![volume::mount(name, "/certs-share")]),
        ..Container::default()
    })
}

/// The same, for a pair whose names are those of its identity.
pub(crate) fn provisioner_of(
    config: &InstallationConfig,
    pair: &KeyPair,
    security_context: SecurityContext,
) -> Option<Container> {
    let names: Vec<_> = pair.dns_names().iter().map(String::as_str).collect();
    let subject = Subject { common_name: pair.common_name(), dns_names: &names };
    provisioner(config, pair, subject, security_context)
}

fn provisioner_env(secret: &str, by: &CertificateManagement, subject: Subject<'_>) -> Vec<EnvVar> {
    vec![
        env::value("CERTIFICATE_PATH", "/certs-share/"),
        env::value("SECRET_NAME", secret),
        env::value("SIGNER", &by.signer_name),
        env::value("COMMON_NAME", subject.common_name),
        env::value("KEY_ALGORITHM", word(&by.key_algorithm)),
        env::value("SIGNATURE_ALGORITHM", word(&by.signature_algorithm)),
        env::value("KEY_NAME", PRIVATE_KEY_KEY),
        env::value("CERT_NAME", CERTIFICATE_KEY),
        env::value("CA_CERT_NAME", CA_KEY),
        env::value("CA_CERT", word(&by.ca_cert)),
        env::value("APP_NAME", CALICO_SYSTEM),
        env::value("DNS_NAMES", subject.dns_names.join(",")),
        env::pod_field("POD_IP", "status.podIP"),
        env::pod_field("POD_NAME", "metadata.name"),
        env::pod_field("POD_NAMESPACE", "metadata.namespace"),
    ]
}

/// How a value reads in the user's resource: the provisioner takes the same words.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

fn provisioner_resources() -> ResourceRequirements {
    let amounts = || {
        let amount = |text: &str| Quantity(text.into());
        Some([("cpu".into(), amount("10m")), ("memory".into(), amount("50Mi"))].into())
    };
    ResourceRequirements { limits: amounts(), requests: amounts(), ..ResourceRequirements::default() }
}
