//! The CNI configuration of Windows nodes, as text. Fields stand in the order of their names, for the text is hashed.
//!
//! Words in double underscores are replaced on the node by the installer.

use chimera_crds::installation::{Cni, IpamType};
use serde::Serialize;

use super::daemon_set::directories::{Directories, on_any_drive};
use crate::render::cni_log::CniLog;
use crate::render::node::cni_config::{calico, list};
use crate::render::spec;
use crate::windows::WindowsConfig;

/// Name of the network, and of the plugin in it.
const NETWORK: &str = "Calico";
/// First bytes of the addresses of virtual adapters.
const MAC_PREFIX: &str = "0E-2A";

#[derive(Debug, Serialize)]
struct Calico<'a> {
    #[serde(rename = "DNS")]
    dns: Dns<'a>,
    capabilities: Capabilities,
    datastore_type: &'static str,
    ipam: Ipam,
    kubernetes: Kubernetes,
    log_file_max_age: i32,
    log_file_max_count: i32,
    log_file_max_size: u64,
    log_file_path: String,
    log_level: &'static str,
    mode: &'static str,
    mtu: i32,
    name: &'static str,
    nodename: &'static str,
    nodename_file: &'static str,
    nodename_file_optional: bool,
    policies: Vec<EndpointPolicy<'a>>,
    policy: Policy,
    #[serde(rename = "type")]
    type_: &'static str,
    vxlan_mac_prefix: &'a str,
    vxlan_vni: u64,
    #[serde(rename = "windows_loopback_DSR")]
    windows_loopback_dsr: &'static str,
    windows_use_single_network: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Dns<'a> {
    nameservers: &'a [String],
    search: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Capabilities {
    dns: bool,
}

#[derive(Debug, Serialize)]
struct Ipam {
    subnet: &'static str,
    #[serde(rename = "type")]
    type_: &'static str,
}

#[derive(Debug, Serialize)]
struct Kubernetes {
    #[serde(skip_serializing_if = "Option::is_none")]
    k8s_api_root: Option<String>,
    kubeconfig: String,
}

#[derive(Debug, Serialize)]
struct Policy {
    #[serde(rename = "type")]
    type_: &'static str,
}

/// What the Host Networking Service does with a pod's packets.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct EndpointPolicy<'a> {
    name: &'static str,
    value: Value<'a>,
}

#[derive(Debug, Serialize)]
#[serde(untagged, rename_all_fields = "PascalCase")]
enum Value<'a> {
    /// Packets that leave get the node's address, but for those to Services.
    OutboundNat { exception_list: &'a [String], r#type: &'static str },
    /// Packets to Services go through the network's tunnel.
    Route { destination_prefix: &'a str, need_encap: bool, r#type: &'static str },
}

/// The file that is installed on each Windows node.
pub(super) fn text(config: &WindowsConfig, cni: &Cni) -> Result<String, serde_json::Error> {
    list(NETWORK, cni, &[plugin(config, cni)])
}

fn plugin<'a>(config: &'a WindowsConfig, cni: &Cni) -> Calico<'a> {
    let WindowsConfig { installation, dns_servers, vxlan_vni } = config;
    let (spec, log) = (&installation.spec, CniLog::of(&installation.spec));
    let directories = Directories::of(spec);
    let windows = spec.windows_nodes.as_ref();
    Calico {
        dns: Dns { nameservers: dns_servers, search: vec![format!("svc.{}", installation.cluster.domain)] },
        capabilities: Capabilities { dns: true },
        datastore_type: "kubernetes",
        ipam: ipam(cni),
        kubernetes: Kubernetes {
            k8s_api_root: installation.cluster.api_server.as_ref().map(calico::root),
            kubeconfig: format!("c:{}/calico-kubeconfig", on_any_drive(directories.conf)),
        },
        log_file_max_age: log.max_age,
        log_file_max_count: log.max_count,
        log_file_max_size: log.max_size,
        log_file_path: format!("c:{}/cni.log", on_any_drive(directories.log)),
        log_level: log.level,
        mode: super::daemon_set::backend(spec),
        mtu: spec::mtu(spec).unwrap_or(0),
        name: NETWORK,
        nodename: "__KUBERNETES_NODE_NAME__",
        nodename_file: "__NODENAME_FILE__",
        nodename_file_optional: true,
        policies: policies(spec.service_cidrs.as_deref().unwrap_or_default()),
        policy: Policy { type_: "k8s" },
        type_: "calico",
        vxlan_mac_prefix: windows.and_then(|windows| windows.vxlan_mac_prefix.as_deref()).unwrap_or(MAC_PREFIX),
        vxlan_vni: *vxlan_vni,
        windows_loopback_dsr: "__DSR_SUPPORT__",
        windows_use_single_network: true,
    }
}

/// On Windows both take the node's own range where there is one.
fn ipam(cni: &Cni) -> Ipam {
    let local = cni.ipam.as_ref().is_some_and(|ipam| ipam.type_ == IpamType::HostLocal);
    Ipam { subnet: "usePodCidr", type_: if local { "host-local" } else { "calico-ipam" } }
}

fn policies(services: &[String]) -> Vec<EndpointPolicy<'_>> {
    let policy = |value| EndpointPolicy { name: "EndpointPolicy", value };
    let nat = policy(Value::OutboundNat { exception_list: services, r#type: "OutBoundNAT" });
    let routes = services
        .iter()
        .map(|service| policy(Value::Route { destination_prefix: service, need_encap: true, r#type: "SDNROUTE" }));
    std::iter::once(nat).chain(routes).collect()
}
