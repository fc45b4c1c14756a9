//! Installs CNI plugins and their configuration on the host.

use chimera_crds::installation::Cni;
use k8s_openapi::api::core::v1::{Container, EnvVar, VolumeMount};

use super::volumes::{self, CNI_BIN, CNI_NET, CNI_STAGE};
use crate::images::Image;
use crate::installation::config::InstallationConfig;
use crate::names::{CNI_CONFIG, CNI_CONFIG_KEY};
use crate::render::pod::volume::mount;
use crate::render::pod::{component_command, env, security_context};
use crate::render::spec;

/// The container.
pub(super) fn install_cni(config: &InstallationConfig, cni: &Cni) -> Container {
    Container {
        name: "install-cni".into(),
        image: Some(config.images.reference(Image::Calico)),
        command: component_command(&["cni", "install"]),
        env: Some(environment(config, cni)),
        security_context: Some(security_context::privileged()),
        volume_mounts: Some(mounts(cni)),
        ..Container::default()
    }
}

fn environment(config: &InstallationConfig, cni: &Cni) -> Vec<EnvVar> {
    let mut env = vec![
        env::value("CNI_CONF_NAME", "10-calico.conflist"),
        env::value("SLEEP", false),
        env::value("CNI_NET_DIR", volumes::cni_net_path(cni)),
        env::config_map_key("CNI_NETWORK_CONFIG", CNI_CONFIG, CNI_CONFIG_KEY),
    ];
    env.extend(env::api_server(&config.cluster));
    env
}

fn mounts(cni: &Cni) -> Vec<VolumeMount> {
    let mut mounts = vec![mount(CNI_BIN, "/host/opt/cni/bin"), mount(CNI_NET, "/host/etc/cni/net.d")];
    if spec::installs_reference_plugins(cni) {
        mounts.push(mount(CNI_STAGE, "/opt/cni/bin"));
    }
    mounts
}
