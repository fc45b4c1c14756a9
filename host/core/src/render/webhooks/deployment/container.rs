//! The container of the webhooks.

use k8s_openapi::api::core::v1::{Container, ContainerPort, Probe, SecurityContext};

use crate::api_server::ApiServerConfig;
use crate::certificates::KeyPair;
use crate::images::Image;
use crate::names::WEBHOOKS;
use crate::render::pod::{certificates, component_command, env, probe, some, words};
use crate::render::webhooks::PORT;

/// The container.
pub(super) fn webhooks(
    config: &ApiServerConfig,
    pair: &KeyPair,
    on_host: bool,
    security_context: SecurityContext,
) -> Container {
    let installation = &config.installation;
    let env = if on_host { env::api_server(&installation.cluster) } else { Vec::new() };
    let port = ContainerPort { container_port: PORT.into(), protocol: Some("TCP".into()), ..ContainerPort::default() };
    Container {
        name: WEBHOOKS.into(),
        image: Some(installation.images.reference(Image::Calico)),
        command: component_command(&["webhooks"]),
        args: arguments(pair),
        env: some(env),
        ports: Some(vec![port]),
        readiness_probe: Some(Probe { period_seconds: Some(10), ..probe::https("/readyz", PORT) }),
        security_context: Some(security_context),
        volume_mounts: Some(vec![certificates::key_pair_mount(pair)]),
        ..Container::default()
    }
}

fn arguments(pair: &KeyPair) -> Option<Vec<String>> {
    let arguments = [
        "webhook".to_owned(),
        format!("--tls-cert-file={}", certificates::certificate_file(pair)),
        format!("--tls-private-key-file={}", certificates::key_file(pair)),
        format!("--port={PORT}"),
    ];
    words(arguments.iter().map(String::as_str))
}
