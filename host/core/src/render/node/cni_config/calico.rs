//! Calico's own plugin. Fields stand in the order of their names, since the text's hash must not depend on ours.

use chimera_crds::installation::{
    CalicoNetwork, Cni, IpamType, LinuxDataplane, LinuxPodInterfaceType, Provider, Toggle,
};
use ipnet::IpNet;
use serde::Serialize;

use crate::installation::config::{ApiGroup, Endpoint, InstallationConfig};
use crate::render::cni_log::CniLog;
use crate::render::spec;

/// Replaced by the installer with the file that it wrote.
const KUBECONFIG: &str = "__KUBECONFIG_FILEPATH__";

/// The plugin's configuration.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Calico {
    calico_api_group: &'static str,
    container_settings: ContainerSettings,
    #[serde(skip_serializing_if = "Option::is_none")]
    dataplane_options: Option<DataplaneOptions>,
    datastore_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    device_type: Option<&'static str>,
    endpoint_status_dir: String,
    ipam: Ipam,
    kubernetes: Kubernetes,
    log_file_max_age: i32,
    log_file_max_count: i32,
    log_file_max_size: u64,
    log_file_path: &'static str,
    log_level: &'static str,
    mtu: i32,
    nodename_file_optional: bool,
    policy: Policy,
    policy_setup_timeout_seconds: i32,
    #[serde(rename = "type")]
    type_: &'static str,
}

#[derive(Debug, PartialEq, Serialize)]
struct ContainerSettings {
    allow_ip_forwarding: bool,
}

/// Where a dataplane outside of the kernel listens.
#[derive(Debug, PartialEq, Serialize)]
struct DataplaneOptions {
    socket: &'static str,
    #[serde(rename = "type")]
    type_: &'static str,
}

#[derive(Debug, PartialEq, Serialize)]
#[serde(untagged)]
enum Ipam {
    /// From Calico's pools.
    Calico {
        assign_ipv4: &'static str,
        assign_ipv6: &'static str,
        #[serde(rename = "type")]
        type_: &'static str,
    },
    /// From the node's `podCIDR`.
    HostLocal {
        subnet: &'static str,
        #[serde(rename = "type")]
        type_: &'static str,
    },
}

#[derive(Debug, PartialEq, Serialize)]
struct Kubernetes {
    #[serde(skip_serializing_if = "Option::is_none")]
    k8s_api_root: Option<String>,
    kubeconfig: &'static str,
}

#[derive(Debug, PartialEq, Serialize)]
struct Policy {
    #[serde(rename = "type")]
    type_: &'static str,
}

/// The configuration that the Installation asks for.
pub(super) fn calico(config: &InstallationConfig, cni: &Cni) -> Calico {
    let network = spec::network(&config.spec);
    let log = CniLog::of(&config.spec);
    Calico {
        calico_api_group: api_group(config.cluster.api_group),
        container_settings: container_settings(network),
        dataplane_options: dataplane_options(spec::dataplane(&config.spec)),
        datastore_type: "kubernetes",
        device_type: device_type(network),
        endpoint_status_dir: endpoint_status_dir(config),
        ipam: ipam(config, cni),
        kubernetes: kubernetes(config.cluster.api_server.as_ref()),
        log_file_max_age: log.max_age,
        log_file_max_count: log.max_count,
        log_file_max_size: log.max_size,
        log_file_path: "/var/log/calico/cni/cni.log",
        log_level: log.level,
        mtu: spec::mtu(&config.spec).unwrap_or(0),
        // The file is made once a node is up, which on this platform is after its first pods.
        nodename_file_optional: config.cluster.provider == Provider::DockerEnterprise,
        policy: Policy { type_: "k8s" },
        policy_setup_timeout_seconds: spec::policy_setup_timeout(&config.spec),
        type_: "calico",
    }
}

/// Empty where the plugin looks by itself.
fn api_group(group: ApiGroup) -> &'static str {
    match group {
        ApiGroup::V1 => "",
        ApiGroup::V3 => group.api_version(),
    }
}

fn container_settings(network: Option<&CalicoNetwork>) -> ContainerSettings {
    let forwarding = network.and_then(|network| network.container_ip_forwarding);
    ContainerSettings { allow_ip_forwarding: forwarding.is_some_and(Toggle::is_enabled) }
}

fn dataplane_options(dataplane: LinuxDataplane) -> Option<DataplaneOptions> {
    let socket = "unix:///var/run/calico/cni-server.sock";
    (dataplane == LinuxDataplane::Vpp).then_some(DataplaneOptions { socket, type_: "grpc" })
}

fn device_type(network: Option<&CalicoNetwork>) -> Option<&'static str> {
    let wanted = network.and_then(|network| network.linux_pod_interface_type);
    (wanted == Some(LinuxPodInterfaceType::Netkit)).then_some("netkit")
}

/// Felix writes there, in its container, and the plugin reads it on the host.
fn endpoint_status_dir(config: &InstallationConfig) -> String {
    format!("{}/endpoint-status", spec::run_path(&config.spec))
}

fn ipam(config: &InstallationConfig, cni: &Cni) -> Ipam {
    let word = |yes| if yes { "true" } else { "false" };
    match cni.ipam.as_ref().map(|ipam| ipam.type_) {
        Some(IpamType::HostLocal) => Ipam::HostLocal { subnet: "usePodCidr", type_: "host-local" },
        _ => Ipam::Calico {
            assign_ipv4: word(spec::has_pool(&config.spec, |cidr| matches!(cidr, IpNet::V4(_)))),
            assign_ipv6: word(spec::has_pool(&config.spec, |cidr| matches!(cidr, IpNet::V6(_)))),
            type_: "calico-ipam",
        },
    }
}

fn kubernetes(api_server: Option<&Endpoint>) -> Kubernetes {
    Kubernetes { k8s_api_root: api_server.map(root), kubeconfig: KUBECONFIG }
}

/// The API server's address for a CNI plugin.
pub(crate) fn root(endpoint: &Endpoint) -> String {
    format!("https://{endpoint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_api_server_stands_in_brackets() {
        let endpoint = |host: &str| Endpoint { host: host.into(), port: "6443".into() };
        assert_eq!(root(&endpoint("fd00::1")), "https://[fd00::1]:6443");
        assert_eq!(root(&endpoint("api.example.com")), "https://api.example.com:6443");
    }
}
