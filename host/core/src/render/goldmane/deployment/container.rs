//! The container of Goldmane.

use k8s_openapi::api::core::v1::{Container, EnvVar, Probe, SecurityContext};

use super::CONFIG;
use crate::goldmane::GoldmaneConfig;
use crate::images::Image;
use crate::names::{CALICO_SYSTEM, GOLDMANE, GOLDMANE_PORT, GUARDIAN};
use crate::render::goldmane::config_map::FILE;
use crate::render::pod::{CALICO_BINARY, certificates, component_command, env, probe, volume};

const CONFIG_DIR: &str = "/config";

/// The container.
pub(super) fn goldmane(config: &GoldmaneConfig, security_context: SecurityContext) -> Container {
    Container {
        name: GOLDMANE.into(),
        image: Some(config.installation.images.reference(Image::Calico)),
        command: component_command(&[GOLDMANE]),
        env: Some(environment(config)),
        liveness_probe: Some(health("liveness")),
        readiness_probe: Some(health("readiness")),
        security_context: Some(security_context),
        volume_mounts: Some(vec![
            volume::read_only(CONFIG, CONFIG_DIR),
            certificates::private_bundle_mount(&config.bundle),
            certificates::key_pair_mount(&config.key_pair),
        ]),
        ..Container::default()
    }
}

fn environment(config: &GoldmaneConfig) -> Vec<EnvVar> {
    let pair = &config.key_pair;
    let mut env = vec![
        env::value("LOG_LEVEL", "INFO"),
        env::value("PORT", GOLDMANE_PORT),
        env::value("SERVER_CERT_PATH", certificates::certificate_file(pair)),
        env::value("SERVER_KEY_PATH", certificates::key_file(pair)),
        // Clients without a certificate by one of these are turned away.
        env::value("CA_CERT_PATH", certificates::TRUSTED_CERTIFICATES),
        env::value("PUSH_URL", push_url(&config.installation.cluster.domain)),
        env::value("FILE_CONFIG_PATH", format!("{CONFIG_DIR}/{FILE}")),
        env::value("HEALTH_ENABLED", true),
    ];
    env.extend(config.metrics_port().map(|port| env::value("PROMETHEUS_PORT", port)));
    env
}

/// Where flows go that are passed on: into the tunnel.
fn push_url(cluster_domain: &str) -> String {
    format!("https://{GUARDIAN}.{CALICO_SYSTEM}.svc.{cluster_domain}:443/api/v1/flows/bulk")
}

fn health(kind: &str) -> Probe {
    let kind = format!("--type={kind}");
    Probe { period_seconds: Some(10), ..probe::command([CALICO_BINARY, "health", "--port=8080", &kind]) }
}
