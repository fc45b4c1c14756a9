//! Installs the driver by which pods get a socket to the policies of their node, where kubelets take FlexVolumes.

use k8s_openapi::api::core::v1::Container;

use super::volumes::FLEXVOL;
use crate::images::Image;
use crate::installation::config::InstallationConfig;
use crate::render::pod::volume::mount;
use crate::render::pod::{component_command, security_context};

/// The container.
pub(super) fn flexvol(config: &InstallationConfig) -> Container {
    Container {
        name: "flexvol-driver".into(),
        image: Some(config.images.reference(Image::Calico)),
        command: component_command(&["flexvol", "install", "--target", "/host/driver/uds"]),
        security_context: Some(security_context::privileged()),
        volume_mounts: Some(vec![mount(FLEXVOL, "/host/driver")]),
        ..Container::default()
    }
}
