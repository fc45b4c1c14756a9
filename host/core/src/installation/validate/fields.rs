//! Fields of the spec that can be judged by themselves.

use chimera_crds::installation::{
    CertificateManagement, InstallationSpec, KeyAlgorithm, SignatureAlgorithm, TlsMinVersion, Toggle,
};

use super::Problems;
use crate::images::{self, syntax};
use crate::names::TYPHA_PORT;

/// Checks what the user stated.
pub(super) fn check(spec: &InstallationSpec, problems: &mut Problems) {
    unsupported(spec, problems);
    deprecated(spec, problems);
    numbers(spec, problems);
    metrics_ports(spec, problems);
    update_strategy(spec, problems);
    images(spec, problems);
    cni_logging(spec, problems);
    cipher_suites(spec, problems);
    min_version(spec, problems);
    let paths = [
        (&spec.flex_volume_path, "spec.flexVolumePath", true),
        (&spec.kubelet_volume_plugin_path, "spec.kubeletVolumePluginPath", true),
        (&spec.calico_lib_host_path, "spec.calicoLibHostPath", false),
        (&spec.calico_run_host_path, "spec.calicoRunHostPath", false),
    ];
    for (path, field, may_be_none) in paths {
        directory(path.as_deref(), field, may_be_none, problems);
    }
    if let Some(management) = &spec.certificate_management {
        certificate_management(management, problems);
    }
}

/// A directory of nodes.
pub(super) fn directory(path: Option<&str>, field: &str, may_be_none: bool, problems: &mut Problems) {
    let Some(path) = path.filter(|path| !(path.is_empty() || may_be_none && *path == "None")) else { return };
    if !path.starts_with('/') || path.split('/').any(|part| part == "..") {
        let none = if may_be_none { ", or None" } else { "" };
        problems.add(field, format!("{path:?} is not the path of a directory from the root{none}"));
    }
}

fn unsupported(spec: &InstallationSpec, problems: &mut Problems) {
    let on = |toggle: Option<Toggle>| toggle.is_some_and(Toggle::is_enabled);
    if on(spec.non_privileged) {
        problems.add("spec.nonPrivileged", "Enabled is not supported any more; set it to Disabled or take it out");
    }
    if on(spec.fips_mode) {
        problems.add("spec.fipsMode", "Enabled is not supported any more; set it to Disabled or take it out");
    }
}

fn deprecated(spec: &InstallationSpec, problems: &mut Problems) {
    if spec.component_resources.as_deref().is_some_and(|resources| !resources.is_empty()) {
        let detail = "use calicoNodeDaemonSet, typhaDeployment and calicoKubeControllersDeployment, which go first";
        problems.deprecated("spec.componentResources", detail);
    }
    if spec.typha_affinity.is_some() {
        problems.deprecated("spec.typhaAffinity", "use typhaDeployment, which goes first");
    }
    if spec.calico_windows_upgrade_daemon_set.is_some() {
        problems.deprecated("spec.calicoWindowsUpgradeDaemonSet", "there is no such DaemonSet any more; take it out");
    }
}

fn numbers(spec: &InstallationSpec, problems: &mut Problems) {
    if let Some(replicas) = spec.control_plane_replicas.filter(|replicas| *replicas < 1) {
        problems.add("spec.controlPlaneReplicas", format!("{replicas} is less than 1"));
    }
    for (port, field) in
        [(spec.node_metrics_port, "spec.nodeMetricsPort"), (spec.typha_metrics_port, "spec.typhaMetricsPort")]
    {
        if let Some(port) = port.filter(|port| !(1..=65_535).contains(port)) {
            problems.add(field, format!("{port} is no TCP port; use 1 to 65535"));
        }
    }
}

/// All listen on their host, where a node may run both.
fn metrics_ports(spec: &InstallationSpec, problems: &mut Problems) {
    for (port, field) in
        [(spec.node_metrics_port, "spec.nodeMetricsPort"), (spec.typha_metrics_port, "spec.typhaMetricsPort")]
    {
        if port == Some(TYPHA_PORT.into()) {
            problems.add(field, format!("{TYPHA_PORT} is where Typha serves nodes; use another one"));
        }
    }
    let Some(port) = spec.node_metrics_port.filter(|port| spec.typha_metrics_port == Some(*port)) else { return };
    problems.add("spec.typhaMetricsPort", format!("{port} is spec.nodeMetricsPort too; use another one"));
}

fn update_strategy(spec: &InstallationSpec, problems: &mut Problems) {
    let Some(strategy) = &spec.node_update_strategy else { return };
    let kind = strategy.type_.as_deref().unwrap_or("RollingUpdate");
    match kind {
        "RollingUpdate" => {}
        "OnDelete" if strategy.rolling_update.is_none() => {}
        "OnDelete" => {
            let detail = "it goes with the type RollingUpdate only, but the type is OnDelete";
            problems.add("spec.nodeUpdateStrategy.rollingUpdate", detail);
        }
        other => {
            let detail = format!("{other:?} is unknown; use RollingUpdate or OnDelete");
            problems.add("spec.nodeUpdateStrategy.type", detail);
        }
    }
}

fn images(spec: &InstallationSpec, problems: &mut Problems) {
    let stated = |text: &Option<String>| text.clone().filter(|text| !text.is_empty() && *text != images::USE_DEFAULT);
    if let Some(registry) = stated(&spec.registry).filter(|text| !syntax::is_registry(text)) {
        let detail =
            format!("{registry:?} is no registry; give its host, a port if need be and a slash, without a scheme");
        problems.add("spec.registry", detail);
    }
    const NAMES: &str = "lower-case letters and digits, and between them full stops, underscores or hyphens";
    if let Some(path) = stated(&spec.image_path).filter(|text| !syntax::is_path(text)) {
        let detail = format!("{path:?} is no path of images: names of {NAMES}, with a slash between two names");
        problems.add("spec.imagePath", detail);
    }
    if let Some(prefix) = stated(&spec.image_prefix).filter(|text| !syntax::is_prefix(text)) {
        problems.add("spec.imagePrefix", format!("{prefix:?} cannot begin the name of an image: {NAMES}"));
    }
}

fn cni_logging(spec: &InstallationSpec, problems: &mut Problems) {
    let Some(cni) = spec.logging.as_ref().and_then(|logging| logging.cni.as_ref()) else { return };
    let counts = [
        (cni.log_file_max_age_days, "spec.logging.cni.logFileMaxAgeDays"),
        (cni.log_file_max_count, "spec.logging.cni.logFileMaxCount"),
    ];
    for (count, field) in counts {
        if let Some(count) = count.filter(|count| *count < 1) {
            problems.add(field, format!("{count} is less than 1"));
        }
    }
    if let Some(size) = cni.log_file_max_size.as_ref().filter(|size| !is_positive_size(&size.0)) {
        let detail = format!("{:?} is no size of a file, such as 100Mi", size.0);
        problems.add("spec.logging.cni.logFileMaxSize", detail);
    }
}

/// Digits, and a suffix of Kubernetes' quantities.
fn is_positive_size(text: &str) -> bool {
    const SUFFIXES: &[&str] = &["", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let suffix = text.strip_prefix(digits).unwrap_or_default();
    SUFFIXES.contains(&suffix) && digits.parse::<u64>().is_ok_and(|number| number > 0)
}

fn cipher_suites(spec: &InstallationSpec, problems: &mut Problems) {
    let suites = spec.tls_cipher_suites.as_deref().unwrap_or_default();
    for (index, suite) in suites.iter().enumerate() {
        let field = format!("spec.tlsCipherSuites[{index}].name");
        match suite.name {
            None => problems.add(field, "a cipher suite needs a name"),
            Some(name) if suites.iter().take(index).any(|other| other.name == Some(name)) => {
                problems.add(field, format!("{} is listed twice", name.as_str()));
            }
            Some(_) => {}
        }
    }
}

/// Suites of TLS 1.3 are the only ones that it may be spoken with.
fn min_version(spec: &InstallationSpec, problems: &mut Problems) {
    let suites = spec.tls_cipher_suites.as_deref().unwrap_or_default();
    let only_older = !suites.is_empty() && suites.iter().flat_map(|suite| suite.name).all(|name| !name.is_of_tls_1_3());
    if spec.tls_min_version == Some(TlsMinVersion::V1_3) && only_older {
        let detail = "none of spec.tlsCipherSuites is one of TLS 1.3; add one, or use 1.2";
        problems.add("spec.tlsMinVersion", detail);
    }
}

fn certificate_management(management: &CertificateManagement, problems: &mut Problems) {
    use KeyAlgorithm::{Ecdsa256, Ecdsa384, Ecdsa521};
    use SignatureAlgorithm::{EcdsaSha256, EcdsaSha384, EcdsaSha512, Unset};
    let text = String::from_utf8_lossy(&management.ca_cert.0);
    if let Err(detail) = crate::certificates::check_certificate(&text) {
        problems.add("spec.certificateManagement.caCert", detail);
    }
    if management.signer_name.split_once('/').is_none_or(|(domain, path)| domain.is_empty() || path.is_empty()) {
        let detail = format!("{:?} is no signer, such as example.com/calico", management.signer_name);
        problems.add("spec.certificateManagement.signerName", detail);
    }
    let ecdsa_key = matches!(management.key_algorithm, Some(Ecdsa256 | Ecdsa384 | Ecdsa521));
    let signature = management.signature_algorithm.filter(|algorithm| *algorithm != Unset);
    let ecdsa_signature = signature.map(|algorithm| matches!(algorithm, EcdsaSha256 | EcdsaSha384 | EcdsaSha512));
    if ecdsa_signature.is_some_and(|ecdsa| ecdsa != ecdsa_key) {
        let kind = if ecdsa_key { "ECDSA" } else { "RSA" };
        let detail = format!("the key is {kind}, so the signature must be one of {kind} too");
        problems.add("spec.certificateManagement.signatureAlgorithm", detail);
    }
}
