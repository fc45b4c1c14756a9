//! The container of the API server.

use k8s_openapi::api::core::v1::{Container, EnvVar, Probe, SecurityContext};

use crate::api_server::{ApiServerConfig, is_out_of_reach};
use crate::images::Image;
use crate::names::API_SERVER;
use crate::render::pod::{certificates, component_command, env, probe, words};
use crate::render::spec;

/// Where it listens.
pub(in crate::render::api_server) const PORT: u16 = 5443;

/// The container.
pub(super) fn api_server(config: &ApiServerConfig, security_context: SecurityContext) -> Container {
    Container {
        name: API_SERVER.into(),
        image: Some(config.installation.images.reference(Image::Calico)),
        command: component_command(&["apiserver"]),
        args: arguments(config),
        env: Some(environment(config)),
        readiness_probe: Some(Probe { period_seconds: Some(60), ..probe::https("/readyz", PORT) }),
        security_context: Some(security_context),
        volume_mounts: Some(vec![certificates::key_pair_mount(&config.pair)]),
        ..Container::default()
    }
}

fn arguments(config: &ApiServerConfig) -> Option<Vec<String>> {
    let arguments = [
        format!("--secure-port={PORT}"),
        format!("--tls-private-key-file={}", certificates::key_file(&config.pair)),
        format!("--tls-cert-file={}", certificates::certificate_file(&config.pair)),
    ];
    words(arguments.iter().map(String::as_str))
}

fn environment(config: &ApiServerConfig) -> Vec<EnvVar> {
    let installation = &config.installation;
    let mut env = vec![env::value("DATASTORE_TYPE", "kubernetes"), env::value("LOG_LEVEL", log_level(config))];
    if is_out_of_reach(installation) {
        env.extend(env::api_server(&installation.cluster));
    }
    env.extend(spec::multi_interface_mode(&installation.spec).map(|mode| env::value("MULTI_INTERFACE_MODE", mode)));
    env
}

fn log_level(config: &ApiServerConfig) -> String {
    let logging = config.spec.logging.as_ref().and_then(|logging| logging.api_server.as_ref());
    logging.and_then(|logging| logging.log_severity).unwrap_or_default().as_str().to_lowercase()
}
