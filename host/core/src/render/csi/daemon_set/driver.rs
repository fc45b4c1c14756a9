//! The container of the driver.

use k8s_openapi::api::core::v1::Container;

use super::volumes::{KUBELET, RUN, SOCKET, SOCKET_PATH};
use crate::images::Image;
use crate::installation::config::InstallationConfig;
use crate::render::pod::volume::{mount, shared_with_host};
use crate::render::pod::{component_command, env, security_context, words};

/// The container.
pub(super) fn csi(config: &InstallationConfig, kubelet: &str) -> Container {
    Container {
        name: "calico-csi".into(),
        image: Some(config.images.reference(Image::Calico)),
        command: component_command(&["csi"]),
        args: words(["--nodeid=$(KUBE_NODE_NAME)", "--loglevel=$(LOG_LEVEL)"]),
        env: Some(vec![env::value("LOG_LEVEL", "warn"), env::pod_field("KUBE_NODE_NAME", "spec.nodeName")]),
        security_context: Some(security_context::privileged()),
        volume_mounts: Some(vec![
            shared_with_host(KUBELET, kubelet),
            mount(SOCKET, SOCKET_PATH),
            mount(RUN, "/var/run"),
        ]),
        ..Container::default()
    }
}
