//! Environment of the containers on Windows nodes. All of them get all of it.

use chimera_crds::installation::{CniType, Provider};
use k8s_openapi::api::core::v1::EnvVar;

use super::backend;
use crate::names::{CALICO_SYSTEM, TYPHA};
use crate::render::node::environment::{addresses, cluster_type, metrics};
use crate::render::pod::{certificates, env};
use crate::render::spec;
use crate::windows::WindowsConfig;

/// All variables. Their order is part of the pod, so a change of it restarts the nodes' agents everywhere.
pub(super) fn all(config: &WindowsConfig) -> Vec<EnvVar> {
    let parts = [
        node(config),
        typha(config),
        vxlan(config),
        certificates::expected(&config.installation.certificates.typha, "FELIX_TYPHACN", "FELIX_TYPHAURISAN"),
        network(config),
        addresses(&config.installation),
        metrics(&config.installation),
        routes(config),
        env::api_server(&config.installation.cluster),
    ];
    parts.into_iter().flatten().collect()
}

/// Which CNI plugin pods get.
pub(super) fn plugin_type(config: &WindowsConfig) -> EnvVar {
    let word = match spec::cni_type(&config.installation.spec) {
        CniType::Calico => "Calico",
        CniType::Gke => "GKE",
        CniType::AmazonVpc => "AmazonVPC",
        CniType::AzureVnet => "AzureVNET",
    };
    env::value("CNI_PLUGIN_TYPE", word)
}

fn node(config: &WindowsConfig) -> Vec<EnvVar> {
    vec![
        plugin_type(config),
        env::value("DATASTORE_TYPE", "kubernetes"),
        env::value("WAIT_FOR_DATASTORE", true),
        env::value("CLUSTER_TYPE", cluster_type(&config.installation, Some("windows"))),
        env::value("CALICO_DISABLE_FILE_LOGGING", false),
        env::value("FELIX_DEFAULTENDPOINTTOHOSTACTION", "ACCEPT"),
        env::value("FELIX_HEALTHENABLED", true),
        env::pod_field("NODENAME", "spec.nodeName"),
        env::pod_field("NAMESPACE", "metadata.namespace"),
    ]
}

fn typha(config: &WindowsConfig) -> Vec<EnvVar> {
    let pair = &config.installation.certificates.node;
    vec![
        env::value("FELIX_TYPHAK8SNAMESPACE", CALICO_SYSTEM),
        env::value("FELIX_TYPHAK8SSERVICENAME", TYPHA),
        env::value("FELIX_TYPHACAFILE", certificates::TRUSTED_CERTIFICATES),
        env::value("FELIX_TYPHACERTFILE", certificates::certificate_file(pair)),
        env::value("FELIX_TYPHAKEYFILE", certificates::key_file(pair)),
    ]
}

/// The adapter may be empty: the node's primary one.
fn vxlan(config: &WindowsConfig) -> Vec<EnvVar> {
    let windows = config.installation.spec.windows_nodes.as_ref();
    let adapter = windows.and_then(|windows| windows.vxlan_adapter.clone()).filter(|adapter| !adapter.is_empty());
    vec![
        env::value("VXLAN_VNI", config.vxlan_vni),
        EnvVar { name: "VXLAN_ADAPTER".into(), value: adapter, ..EnvVar::default() },
    ]
}

fn network(config: &WindowsConfig) -> Vec<EnvVar> {
    let spec = &config.installation.spec;
    let mut env = vec![env::value("CALICO_MANAGE_CNI", spec::cni_type(spec) == CniType::Calico)];
    // The bit that Amazon's plugin marks its own connections with.
    let amazon = spec::cni_type(spec) == CniType::AmazonVpc;
    env.extend(amazon.then(|| env::value("FELIX_BPFEXTTOSERVICECONNMARK", "0x80")));
    env.push(env::value("KUBE_NETWORK", networks(config.installation.cluster.provider)));
    let tunnels = ["FELIX_VXLANMTU", "FELIX_WIREGUARDMTU"];
    env.extend(spec::mtu(spec).into_iter().flat_map(|mtu| tunnels.map(|name| env::value(name, mtu))));
    env.extend(spec::uses_pod_cidr(spec).then(env::use_pod_cidr));
    env.push(env::value("CALICO_NETWORKING_BACKEND", backend(spec)));
    env
}

/// A pattern for the names of the Host Networking Service's networks that hold pods.
fn networks(provider: Provider) -> &'static str {
    match provider {
        Provider::Aks => "azure.*",
        Provider::Eks => "vpc.*",
        _ => "Calico.*",
    }
}

/// Another plugin's addresses are in no pool.
fn routes(config: &WindowsConfig) -> Vec<EnvVar> {
    let other = spec::cni_type(&config.installation.spec) != CniType::Calico;
    other.then(|| env::value("FELIX_ROUTESOURCE", "WorkloadIPs")).into_iter().collect()
}
