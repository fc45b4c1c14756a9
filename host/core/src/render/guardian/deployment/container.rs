//! The container of guardian.

use chimera_crds::management_cluster_connection::CertificateAuthority;
use k8s_openapi::api::core::v1::{Container, EnvVar, HTTPGetAction, Probe, SecurityContext};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::TUNNEL_VOLUME;
use crate::cluster_connection::ClusterConnectionConfig;
use crate::images::Image;
use crate::names::{CALICO_SYSTEM, GOLDMANE, GOLDMANE_PORT};
use crate::render::pod::{certificates, component_command, env, volume};

/// Its name, which users' overrides state.
const NAME: &str = "tigera-guardian";
/// Where it answers health checks.
const HEALTH_PORT: i32 = 9080;
/// Where it listens within its pod, besides the port of its Service.
const PORT: u16 = 9443;

/// The container.
pub(super) fn guardian(config: &ClusterConnectionConfig, security_context: SecurityContext) -> Container {
    let mut mounts = certificates::bundle_mounts().to_vec();
    mounts.push(volume::read_only(TUNNEL_VOLUME, "/certs/"));
    mounts.push(certificates::key_pair_mount(&config.key_pair));
    Container {
        name: NAME.into(),
        image: Some(config.installation.images.reference(Image::Calico)),
        command: component_command(&["guardian"]),
        env: Some(environment(config)),
        liveness_probe: Some(health(90)),
        readiness_probe: Some(health(10)),
        security_context: Some(security_context),
        volume_mounts: Some(mounts),
        ..Container::default()
    }
}

fn environment(config: &ClusterConnectionConfig) -> Vec<EnvVar> {
    let mut env = tunnel(config);
    env.extend(env::proxy(&config.installation.spec));
    env.extend(goldmane(config));
    env
}

fn tunnel(config: &ClusterConnectionConfig) -> Vec<EnvVar> {
    let authority = match config.authority {
        CertificateAuthority::Tigera => "Tigera",
        CertificateAuthority::Public => "Public",
    };
    vec![
        env::value("GUARDIAN_PORT", PORT),
        env::value("GUARDIAN_LOGLEVEL", "INFO"),
        env::value("GUARDIAN_VOLTRON_URL", &config.address),
        env::value("GUARDIAN_VOLTRON_CA_TYPE", authority),
        env::value("GUARDIAN_CA_FILE", certificates::TRUSTED_CERTIFICATES),
    ]
}

/// Where flows are, and who guardian is there.
fn goldmane(config: &ClusterConnectionConfig) -> Vec<EnvVar> {
    let domain = &config.installation.cluster.domain;
    vec![
        env::value(
            "GUARDIAN_GOLDMANE_ENDPOINT",
            format!("https://{GOLDMANE}.{CALICO_SYSTEM}.svc.{domain}:{GOLDMANE_PORT}"),
        ),
        env::value("GUARDIAN_GOLDMANE_CLIENT_CERT", certificates::certificate_file(&config.key_pair)),
        env::value("GUARDIAN_GOLDMANE_CLIENT_KEY", certificates::key_file(&config.key_pair)),
    ]
}

fn health(delay_seconds: i32) -> Probe {
    let action =
        HTTPGetAction { path: Some("/health".into()), port: IntOrString::Int(HEALTH_PORT), ..HTTPGetAction::default() };
    Probe { http_get: Some(action), initial_delay_seconds: Some(delay_seconds), ..Probe::default() }
}
