//! The containers that prepare a node: one clears what was installed without containers, one installs the CNI plugin.

use k8s_openapi::api::core::v1::{Container, EnvVar, VolumeMount};

use super::directories::{Directories, on_any_drive};
use super::{environment, host_process, image_file, volumes};
use crate::images::Image;
use crate::names::{CNI_CONFIG_KEY, CNI_CONFIG_WINDOWS};
use crate::render::pod::{env, volume, words};
use crate::render::spec;
use crate::windows::WindowsConfig;

/// Where containers see the host's CNI binaries.
const BIN_MOUNT: &str = "/host/opt/cni/bin";
/// Where containers see the host's CNI configuration.
pub(super) const NET_MOUNT: &str = "/host/etc/cni/net.d";

/// In the order that they run in.
pub(super) fn all(config: &WindowsConfig) -> Vec<Container> {
    let installs = spec::calico_cni(&config.installation.spec).is_some();
    std::iter::once(uninstall(config)).chain(installs.then(|| install_cni(config))).collect()
}

fn uninstall(config: &WindowsConfig) -> Container {
    Container {
        name: "uninstall-calico".into(),
        image: Some(config.installation.images.reference(Image::NodeWindows)),
        args: Some(vec![image_file("uninstall-calico.ps1")]),
        env: Some(files(config, NET_MOUNT)),
        security_context: Some(host_process()),
        volume_mounts: Some(mounts()),
        ..Container::default()
    }
}

fn install_cni(config: &WindowsConfig) -> Container {
    let program = image_file("opt/cni/bin/calico.exe");
    Container {
        name: "install-cni".into(),
        image: Some(config.installation.images.reference(Image::CniWindows)),
        command: words([program.as_str(), "component", "cni", "install"]),
        env: Some(install_environment(config)),
        security_context: Some(host_process()),
        volume_mounts: Some(mounts()),
        ..Container::default()
    }
}

/// Where both find the plugin's files.
fn files(config: &WindowsConfig, net_dir: &str) -> Vec<EnvVar> {
    vec![
        env::value("SLEEP", false),
        environment::plugin_type(config),
        env::value("CNI_BIN_DIR", BIN_MOUNT),
        env::value("CNI_CONF_NAME", "10-calico.conflist"),
        env::value("CNI_NET_DIR", net_dir),
    ]
}

fn install_environment(config: &WindowsConfig) -> Vec<EnvVar> {
    let spec = &config.installation.spec;
    let mut env = files(config, on_any_drive(Directories::of(spec).conf));
    env.extend([
        env::value("KUBERNETES_DNS_SERVERS", config.dns_servers.join(",")),
        env::value("KUBERNETES_SERVICE_CIDRS", spec.service_cidrs.clone().unwrap_or_default().join(",")),
        env::value("VXLAN_VNI", config.vxlan_vni),
        env::pod_field("KUBERNETES_NODE_NAME", "spec.nodeName"),
        env::config_map_key("CNI_NETWORK_CONFIG", CNI_CONFIG_WINDOWS, CNI_CONFIG_KEY),
    ]);
    env.extend(env::api_server(&config.installation.cluster));
    env
}

fn mounts() -> Vec<VolumeMount> {
    vec![volume::mount(volumes::CNI_BIN, BIN_MOUNT), volume::mount(volumes::CNI_NET, NET_MOUNT)]
}
