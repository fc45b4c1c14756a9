//! Environment of calico-node: what Felix, BIRD and confd cannot read from Calico's own resources.

use chimera_crds::installation::{CniType, LinuxDataplane, Provider};
use k8s_openapi::api::core::v1::EnvVar;

use super::calico_node::FELIX_PLUGINS_PATH;
use crate::goldmane;
use crate::installation::config::InstallationConfig;
use crate::names::{CALICO_SYSTEM, TYPHA};
use crate::render::pod::{certificates, env};
use crate::render::spec;

/// All variables. Their order is part of the pod, so a change of it restarts calico-node everywhere.
pub(super) fn all(config: &InstallationConfig) -> Vec<EnvVar> {
    let parts = [
        node(config),
        typha(config),
        dataplane(config),
        mtu(config),
        backend(config),
        addresses(config),
        metrics(config),
        other_cni(config),
        env::api_server(&config.cluster),
        endpoint_status(config),
    ];
    parts.into_iter().flatten().collect()
}

fn node(config: &InstallationConfig) -> Vec<EnvVar> {
    vec![
        env::value("DATASTORE_TYPE", "kubernetes"),
        env::value("WAIT_FOR_DATASTORE", true),
        env::value("CLUSTER_TYPE", cluster_type(config, None)),
        env::value("CALICO_DISABLE_FILE_LOGGING", false),
        env::value("FELIX_DEFAULTENDPOINTTOHOSTACTION", "ACCEPT"),
        env::value("FELIX_HEALTHENABLED", true),
        env::value("FELIX_HEALTHPORT", config.felix.health_port),
        env::pod_field("NODENAME", "spec.nodeName"),
        env::pod_field("NAMESPACE", "metadata.namespace"),
    ]
}

/// Felix does things differently on some platforms, and goes by these words.
pub(crate) fn cluster_type(config: &InstallationConfig, system: Option<&str>) -> String {
    let platform = match config.cluster.provider {
        Provider::OpenShift => Some("openshift"),
        Provider::Eks => Some("ecs"),
        Provider::Gke => Some("gke"),
        Provider::Aks => Some("aks"),
        _ => None,
    };
    let bgp = spec::bgp(&config.spec).then_some("bgp");
    let vpp = (spec::dataplane(&config.spec) == LinuxDataplane::Vpp).then_some("vpp");
    let words: Vec<_> = ["k8s", "operator"].into_iter().chain(system).chain(platform).chain(bgp).chain(vpp).collect();
    words.join(",")
}

fn typha(config: &InstallationConfig) -> Vec<EnvVar> {
    let (pair, server) = (&config.certificates.node, &config.certificates.typha);
    let mut env = vec![
        env::value("FELIX_TYPHAK8SNAMESPACE", CALICO_SYSTEM),
        env::value("FELIX_TYPHAK8SSERVICENAME", TYPHA),
        env::value("FELIX_TYPHACAFILE", certificates::TRUSTED_CERTIFICATES),
        env::value("FELIX_TYPHACERTFILE", certificates::certificate_file(pair)),
        env::value("FELIX_TYPHAKEYFILE", certificates::key_file(pair)),
        // Pools are the operator's work.
        env::value("NO_DEFAULT_POOLS", true),
    ];
    env.extend(config.goldmane.iter().flat_map(|_| flows()));
    env.extend(certificates::expected(server, "FELIX_TYPHACN", "FELIX_TYPHAURISAN"));
    env
}

/// Where Felix sends flows, and after how many seconds. It identifies itself as it does to Typha.
fn flows() -> [EnvVar; 2] {
    let server = env::value("FELIX_FLOWLOGSGOLDMANESERVER", goldmane::host_and_port());
    [server, env::value("FELIX_FLOWLOGSFLUSHINTERVAL", 15)]
}

fn dataplane(config: &InstallationConfig) -> Vec<EnvVar> {
    let cni = spec::cni_type(&config.spec);
    let mut env = vec![env::value("CALICO_MANAGE_CNI", cni == CniType::Calico)];
    // The bit that Amazon's plugin marks its own connections with.
    env.extend((cni == CniType::AmazonVpc).then(|| env::value("FELIX_BPFEXTTOSERVICECONNMARK", "0x80")));
    if spec::dataplane(&config.spec) == LinuxDataplane::Vpp {
        env.extend(vpp(config.cluster.provider));
    }
    env
}

fn vpp(provider: Provider) -> Vec<EnvVar> {
    let mut env = vec![
        env::value("FELIX_USEINTERNALDATAPLANEDRIVER", false),
        env::value("FELIX_DATAPLANEDRIVER", format!("{FELIX_PLUGINS_PATH}/felix-api-proxy")),
        env::value("FELIX_XDPENABLED", false),
    ];
    env.extend((provider == Provider::Eks).then(|| env::value("FELIX_AWSSRCDSTCHECK", "Disable")));
    env
}

fn mtu(config: &InstallationConfig) -> Vec<EnvVar> {
    let tunnels = ["FELIX_VXLANMTU", "FELIX_WIREGUARDMTU"];
    let mtu = spec::mtu(&config.spec).into_iter();
    mtu.flat_map(|mtu| tunnels.map(|name| env::value(name, mtu))).collect()
}

/// Who programs routes between nodes.
fn backend(config: &InstallationConfig) -> Vec<EnvVar> {
    let pod_cidr = spec::uses_pod_cidr(&config.spec);
    let bgp = spec::bgp(&config.spec);
    let backend = match (bgp, spec::dataplane(&config.spec)) {
        // VPP brings its own BGP daemon.
        (true, LinuxDataplane::Vpp) => "none",
        (true, _) => "bird",
        // Routes of other plugins, and of node's own ranges, are the platform's work.
        (false, _) if pod_cidr || spec::cni_type(&config.spec) != CniType::Calico => "none",
        (false, _) => "vxlan",
    };
    let mut env: Vec<_> = pod_cidr.then(env::use_pod_cidr).into_iter().collect();
    env.push(env::value("CALICO_NETWORKING_BACKEND", backend));
    let mtu = spec::mtu(&config.spec).filter(|_| bgp);
    env.extend(mtu.map(|mtu| env::value("FELIX_IPINIPMTU", mtu)));
    env
}

/// How a node finds its addresses.
pub(crate) fn addresses(config: &InstallationConfig) -> Vec<EnvVar> {
    ipv4(config).into_iter().chain(ipv6(config)).collect()
}

fn ipv4(config: &InstallationConfig) -> Vec<EnvVar> {
    match autodetection_v4(config) {
        Some(method) => vec![env::value("IP", "autodetect"), env::value("IP_AUTODETECTION_METHOD", method)],
        None => vec![env::value("IP", "none")],
    }
}

fn autodetection_v4(config: &InstallationConfig) -> Option<String> {
    let network = spec::network(&config.spec);
    spec::autodetection(network.and_then(|network| network.node_address_autodetection_v4.as_ref()))
}

fn ipv6(config: &InstallationConfig) -> Vec<EnvVar> {
    let network = spec::network(&config.spec);
    let method = network.and_then(|network| network.node_address_autodetection_v6.as_ref());
    let Some(method) = spec::autodetection(method) else {
        return vec![env::value("IP6", "none"), env::value("FELIX_IPV6SUPPORT", false)];
    };
    let mut env = vec![
        env::value("IP6", "autodetect"),
        env::value("IP6_AUTODETECTION_METHOD", method),
        env::value("FELIX_IPV6SUPPORT", true),
    ];
    // A router's id is written like an IPv4 address, which such a node has none of.
    let without_v4 = autodetection_v4(config).is_none() && spec::bgp(&config.spec);
    env.extend(without_v4.then(|| env::value("CALICO_ROUTER_ID", "hash")));
    let tunnels = ["FELIX_VXLANMTUV6", "FELIX_WIREGUARDMTUV6"];
    env.extend(spec::mtu(&config.spec).into_iter().flat_map(|mtu| tunnels.map(|name| env::value(name, mtu))));
    env
}

/// Felix's metrics.
pub(crate) fn metrics(config: &InstallationConfig) -> Vec<EnvVar> {
    let Some(port) = config.spec.node_metrics_port else { return Vec::new() };
    vec![env::value("FELIX_PROMETHEUSMETRICSENABLED", true), env::value("FELIX_PROMETHEUSMETRICSPORT", port)]
}

/// What makes Felix get along with another CNI plugin than Calico's.
fn other_cni(config: &InstallationConfig) -> Vec<EnvVar> {
    let cni = spec::cni_type(&config.spec);
    let mut env = Vec::new();
    if matches!(cni, CniType::AmazonVpc | CniType::AzureVnet) {
        env.push(env::value("FELIX_WIREGUARDHOSTENCRYPTIONENABLED", true));
    }
    env.extend(env::interface_prefix(cni));
    // Their own rules come after Felix's.
    if matches!(cni, CniType::AmazonVpc | CniType::Gke) {
        env.push(env::value("FELIX_IPTABLESMANGLEALLOWACTION", "Return"));
    }
    if cni == CniType::Gke {
        env.push(env::value("FELIX_IPTABLESFILTERALLOWACTION", "Return"));
    }
    if cni != CniType::Calico {
        env.push(env::value("FELIX_ROUTESOURCE", "WorkloadIPs"));
    }
    env
}

/// Felix says there when a pod's policies are in place, if the CNI plugin waits for that.
fn endpoint_status(config: &InstallationConfig) -> Vec<EnvVar> {
    let waits = spec::policy_setup_timeout(&config.spec) > 0;
    waits.then(|| env::value("FELIX_ENDPOINTSTATUSPATHPREFIX", "/var/run/calico")).into_iter().collect()
}
