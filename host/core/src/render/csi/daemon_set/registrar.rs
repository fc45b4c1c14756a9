//! The container that tells the kubelet of the driver.

use k8s_openapi::api::core::v1::{Container, EnvVar};

use super::volumes::{REGISTRATION, SOCKET, SOCKET_FILE, SOCKET_PATH, driver_path};
use crate::images::Image;
use crate::installation::config::InstallationConfig;
use crate::render::pod::volume::mount;
use crate::render::pod::{env, security_context, words};

/// The container.
pub(super) fn registrar(config: &InstallationConfig, kubelet: &str) -> Container {
    Container {
        name: "csi-node-driver-registrar".into(),
        image: Some(config.images.reference(Image::Calico)),
        command: words(["/usr/bin/csi-node-driver-registrar"]),
        args: words(["--v=5", "--csi-address=$(ADDRESS)", "--kubelet-registration-path=$(DRIVER_REG_SOCK_PATH)"]),
        env: Some(environment(kubelet)),
        security_context: Some(security_context::privileged()),
        volume_mounts: Some(vec![mount(REGISTRATION, "/registration"), mount(SOCKET, SOCKET_PATH)]),
        ..Container::default()
    }
}

fn environment(kubelet: &str) -> Vec<EnvVar> {
    vec![
        env::value("ADDRESS", format!("{SOCKET_PATH}/{SOCKET_FILE}")),
        env::value("DRIVER_REG_SOCK_PATH", format!("{}/{SOCKET_FILE}", driver_path(kubelet))),
        env::pod_field("KUBE_NODE_NAME", "spec.nodeName"),
    ]
}
