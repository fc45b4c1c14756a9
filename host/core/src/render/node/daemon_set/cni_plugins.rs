//! Puts the CNI reference plugins where the installer finds them.

use k8s_openapi::api::core::v1::Container;

use super::volumes::CNI_STAGE;
use crate::images::Image;
use crate::installation::config::InstallationConfig;
use crate::render::pod::security_context;
use crate::render::pod::volume::mount;

/// The container.
pub(super) fn cni_plugins(config: &InstallationConfig) -> Container {
    Container {
        name: "cni-plugins".into(),
        image: Some(config.images.reference(Image::CniPlugins)),
        security_context: Some(security_context::privileged()),
        volume_mounts: Some(vec![mount(CNI_STAGE, "/stage")]),
        ..Container::default()
    }
}
