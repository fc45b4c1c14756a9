//! The container that fetches flows from Goldmane.

use k8s_openapi::api::core::v1::{Container, EnvVar, SecurityContext};

use crate::images::Image;
use crate::names::{CALICO_SYSTEM, GOLDMANE, GOLDMANE_PORT, WHISKER_BACKEND, WHISKER_BACKEND_PORT};
use crate::render::pod::{certificates, component_command, env};
use crate::whisker::WhiskerConfig;

/// The container.
pub(super) fn whisker(config: &WhiskerConfig, security_context: SecurityContext) -> Container {
    Container {
        name: WHISKER_BACKEND.into(),
        image: Some(config.installation.images.reference(Image::Calico)),
        command: component_command(&[WHISKER_BACKEND]),
        env: Some(environment(config)),
        security_context: Some(security_context),
        volume_mounts: Some(vec![
            certificates::key_pair_mount(&config.backend_key_pair),
            certificates::private_bundle_mount(&config.bundle),
        ]),
        ..Container::default()
    }
}

/// It shows one pair to both sides. It looks for what it trusts where the bundle is mounted, so no variable says so.
fn environment(config: &WhiskerConfig) -> Vec<EnvVar> {
    let pair = &config.backend_key_pair;
    let domain = &config.installation.cluster.domain;
    vec![
        env::value("LOG_LEVEL", "INFO"),
        env::value("PORT", WHISKER_BACKEND_PORT),
        env::value("GOLDMANE_HOST", format!("{GOLDMANE}.{CALICO_SYSTEM}.svc.{domain}:{GOLDMANE_PORT}")),
        env::value("TLS_CERT_PATH", certificates::certificate_file(pair)),
        env::value("TLS_KEY_PATH", certificates::key_file(pair)),
        env::value("SERVER_TLS_CERT_PATH", certificates::certificate_file(pair)),
        env::value("SERVER_TLS_KEY_PATH", certificates::key_file(pair)),
    ]
}
