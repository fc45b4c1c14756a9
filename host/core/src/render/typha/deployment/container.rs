//! The container of Typha.

use k8s_openapi::api::core::v1::{Container, ContainerPort, EnvVar, Probe, SecurityContext};

use super::grace_seconds;
use crate::images::Image;
use crate::installation::config::InstallationConfig;
use crate::names::{CALICO_SYSTEM, TYPHA, TYPHA_PORT};
use crate::render::pod::{certificates, component_command, env, probe};
use crate::render::spec;

/// The container.
pub(super) fn typha(config: &InstallationConfig, security_context: SecurityContext) -> Container {
    let mut mounts = certificates::bundle_mounts().to_vec();
    mounts.push(certificates::key_pair_mount(&config.certificates.typha));
    Container {
        name: TYPHA.into(),
        image: Some(config.images.reference(Image::Calico)),
        command: component_command(&["typha"]),
        env: Some(environment(config)),
        liveness_probe: Some(health(config, "/liveness")),
        ports: Some(vec![port()]),
        readiness_probe: Some(health(config, "/readiness")),
        security_context: Some(security_context),
        volume_mounts: Some(mounts),
        ..Container::default()
    }
}

fn port() -> ContainerPort {
    ContainerPort {
        name: Some(TYPHA.into()),
        container_port: TYPHA_PORT.into(),
        protocol: Some("TCP".into()),
        ..ContainerPort::default()
    }
}

/// Typha and Felix share the host's network; Felix's health port may be moved, and Typha's is the one below.
fn health_port(config: &InstallationConfig) -> u16 {
    config.felix.health_port.saturating_sub(1)
}

fn health(config: &InstallationConfig, path: &str) -> Probe {
    Probe { timeout_seconds: Some(10), ..probe::http_on_localhost(path, health_port(config)) }
}

fn environment(config: &InstallationConfig) -> Vec<EnvVar> {
    let mut env = service(config);
    env.extend(identity(config));
    env.extend(env::interface_prefix(spec::cni_type(&config.spec)));
    env.extend(spec::uses_pod_cidr(&config.spec).then(env::use_pod_cidr));
    env.extend(env::api_server(&config.cluster));
    env.extend(metrics(config));
    env
}

fn service(config: &InstallationConfig) -> Vec<EnvVar> {
    vec![
        env::value("TYPHA_LOGSEVERITYSCREEN", "info"),
        env::value("TYPHA_LOGFILEPATH", "none"),
        env::value("TYPHA_LOGSEVERITYSYS", "none"),
        env::value("TYPHA_CONNECTIONREBALANCINGMODE", "kubernetes"),
        env::value("TYPHA_DATASTORETYPE", "kubernetes"),
        env::value("TYPHA_HEALTHENABLED", true),
        env::value("TYPHA_HEALTHPORT", health_port(config)),
        env::value("TYPHA_K8SNAMESPACE", CALICO_SYSTEM),
    ]
}

fn identity(config: &InstallationConfig) -> Vec<EnvVar> {
    let pair = &config.certificates.typha;
    let mut env = vec![
        env::value("TYPHA_CAFILE", certificates::TRUSTED_CERTIFICATES),
        env::value("TYPHA_SERVERCERTFILE", certificates::certificate_file(pair)),
        env::value("TYPHA_SERVERKEYFILE", certificates::key_file(pair)),
        env::value("TYPHA_SHUTDOWNTIMEOUTSECS", grace_seconds(config)),
    ];
    env.extend(certificates::expected(&config.certificates.node, "TYPHA_CLIENTCN", "TYPHA_CLIENTURISAN"));
    env
}

fn metrics(config: &InstallationConfig) -> Vec<EnvVar> {
    let Some(port) = config.spec.typha_metrics_port else { return Vec::new() };
    vec![env::value("TYPHA_PROMETHEUSMETRICSENABLED", true), env::value("TYPHA_PROMETHEUSMETRICSPORT", port)]
}
