//! The container of kube-controllers.

use k8s_openapi::api::core::v1::{Container, EnvVar, Probe};

use crate::images::Image;
use crate::installation::config::InstallationConfig;
use crate::names::{KUBE_CONTROLLERS, KUBE_CONTROLLERS_HEALTH_PORT};
use crate::render::pod::{CALICO_BINARY, certificates, component_command, env, probe, security_context};

/// Not root, but of its group, which owns what it reads in the image.
const USER: i64 = 999;
const GROUP: i64 = 0;

/// The container.
pub(super) fn kube_controllers(config: &InstallationConfig) -> Container {
    Container {
        name: KUBE_CONTROLLERS.into(),
        image: Some(config.images.reference(Image::Calico)),
        command: component_command(&["kube-controllers", &format!("--health-port={KUBE_CONTROLLERS_HEALTH_PORT}")]),
        env: Some(environment()),
        liveness_probe: Some(Probe {
            failure_threshold: Some(6),
            initial_delay_seconds: Some(10),
            ..health("liveness")
        }),
        readiness_probe: Some(health("readiness")),
        security_context: Some(security_context::unprivileged(USER, GROUP)),
        volume_mounts: Some(certificates::bundle_mounts().to_vec()),
        ..Container::default()
    }
}

fn environment() -> Vec<EnvVar> {
    vec![
        env::value("KUBE_CONTROLLERS_CONFIG_NAME", "default"),
        env::value("DATASTORE_TYPE", "kubernetes"),
        env::value("ENABLED_CONTROLLERS", "node,loadbalancer"),
        env::value("DISABLE_KUBE_CONTROLLERS_CONFIG_API", false),
        env::value("CA_CRT_PATH", certificates::TRUSTED_CERTIFICATES),
    ]
}

fn health(kind: &str) -> Probe {
    let (port, kind) = (format!("--port={KUBE_CONTROLLERS_HEALTH_PORT}"), format!("--type={kind}"));
    Probe { timeout_seconds: Some(10), ..probe::command([CALICO_BINARY, "health", &port, &kind]) }
}
