//! `spec.calicoNetwork`.

use chimera_crds::installation::{
    CalicoNetwork, ClusterRoutingMode, InstallationSpec, IpamType, LinuxDataplane, Toggle,
};

use super::{Problems, autodetection};
use crate::installation::inputs::InstallationInputs;
use crate::installation::pod_cidrs;
use crate::ip_pools::{self, Surroundings, parse_cidr};

const MAX_POOLS: usize = 25;

/// Checks the effective spec.
pub(super) fn check(spec: &InstallationSpec, inputs: &InstallationInputs, problems: &mut Problems) {
    let Some(network) = &spec.calico_network else { return };
    pools(spec, network, inputs, problems);
    dataplane(network, inputs, problems);
    numbers(network, problems);
    sysctls(network, problems);
    let detections = [
        ("spec.calicoNetwork.nodeAddressAutodetectionV4", &network.node_address_autodetection_v4, false),
        ("spec.calicoNetwork.nodeAddressAutodetectionV6", &network.node_address_autodetection_v6, true),
    ];
    for (field, detection, is_v6) in detections {
        if let Some(detection) = detection {
            autodetection::check(field, detection, is_v6, problems);
        }
    }
}

fn pools(spec: &InstallationSpec, network: &CalicoNetwork, inputs: &InstallationInputs, problems: &mut Problems) {
    const FIELD: &str = "spec.calicoNetwork.ipPools";
    let pools = network.ip_pools.as_deref().unwrap_or_default();
    if pools.len() > MAX_POOLS {
        problems.add(FIELD, format!("{} pools are listed; the most is {MAX_POOLS}", pools.len()));
    }
    let ipam = spec.cni.as_ref().and_then(|cni| cni.ipam.as_ref()).map_or(IpamType::Calico, |ipam| ipam.type_);
    let bird_only = network.cluster_routing_mode == Some(ClusterRoutingMode::Bird);
    let around = Surroundings {
        existing: &inputs.ip_pools,
        service_cidrs: spec.service_cidrs.as_deref().unwrap_or_default(),
        ipam,
        no_ipip_routes: bird_only && !on(network.bgp),
    };
    for (path, detail) in ip_pools::check(pools, &around) {
        problems.add(format!("{FIELD}{path}"), detail);
    }
    for (path, detail) in ip_pools::outside(pools, &pod_cidrs::of(inputs)) {
        problems.odd_pool(format!("{FIELD}{path}"), detail);
    }
    if spec.service_cidrs.is_none() {
        for (path, detail) in ip_pools::in_services(pools, &pod_cidrs::of_services(inputs)) {
            problems.pool_in_services(format!("{FIELD}{path}"), detail);
        }
    }
    for (index, cidr) in spec.service_cidrs.iter().flatten().enumerate() {
        if parse_cidr(cidr).is_none() {
            let detail = format!("{cidr:?} is no range in CIDR notation, such as 10.96.0.0/12");
            problems.add(format!("spec.serviceCIDRs[{index}]"), detail);
        }
    }
}

fn dataplane(network: &CalicoNetwork, inputs: &InstallationInputs, problems: &mut Problems) {
    let dataplane = network.linux_dataplane.unwrap_or(LinuxDataplane::Iptables);
    if dataplane == LinuxDataplane::Vpp && !on(network.bgp) {
        problems.add("spec.calicoNetwork.bgp", "the VPP dataplane needs BGP; set it to Enabled");
    }
    let bpf = dataplane == LinuxDataplane::Bpf;
    if bpf && network.linux_policy_setup_timeout_seconds.is_some_and(|seconds| seconds != 0) {
        let field = "spec.calicoNetwork.linuxPolicySetupTimeoutSeconds";
        problems.add(field, "the BPF dataplane does not serve it; set it to 0 or take it out");
    }
    // Without kube-proxy nothing else leads to the API server before Felix runs.
    let finds_api_server = on(network.bpf_network_bootstrap) || inputs.config_maps.services_endpoint.is_some();
    if bpf && on(network.kube_proxy_management) && !finds_api_server {
        let detail = "without kube-proxy nodes need the API server's address: set spec.calicoNetwork.bpfNetworkBootstrap \
                      to Enabled, or create ConfigMap kubernetes-services-endpoint in the operator's namespace";
        problems.add("spec.calicoNetwork.kubeProxyManagement", detail);
    }
    if on(network.bpf_network_bootstrap) {
        const FIELD: &str = "spec.calicoNetwork.bpfNetworkBootstrap";
        if !bpf {
            problems.add(FIELD, "it needs spec.calicoNetwork.linuxDataplane BPF; set it to Disabled");
        }
        if inputs.config_maps.services_endpoint.is_some() {
            let detail = "ConfigMap kubernetes-services-endpoint in the operator's namespace does the same by hand; delete \
                          the ConfigMap, or set this to Disabled";
            problems.add(FIELD, detail);
        }
    }
}

fn on(toggle: Option<Toggle>) -> bool {
    toggle.is_some_and(Toggle::is_enabled)
}

/// What the network of a node must carry, by the family of addresses.
const SMALLEST_MTU: [(bool, i32); 2] = [(false, 576), (true, 1280)];

fn numbers(network: &CalicoNetwork, problems: &mut Problems) {
    let nets = network.ip_pools.iter().flatten().filter_map(|pool| parse_cidr(&pool.cidr));
    let has_v6 = nets.into_iter().any(|net| net.network().is_ipv6());
    let smallest = SMALLEST_MTU.into_iter().find(|(v6, _)| *v6 == has_v6).map_or(0, |(_, smallest)| smallest);
    if let Some(mtu) = network.mtu.filter(|mtu| (1..smallest).contains(mtu)) {
        let family = if has_v6 { "IPv6" } else { "IPv4" };
        let detail =
            format!("{mtu} bytes are too few for {family}; use {smallest} or more, or 0 to have each node find it out");
        problems.add("spec.calicoNetwork.mtu", detail);
    }
    if let Some(mtu) = network.mtu.filter(|mtu| !(0..=65_535).contains(mtu)) {
        problems.add(
            "spec.calicoNetwork.mtu",
            format!("{mtu} is no size of a packet; use 0 to 65535 bytes, 0 to have each node find it out"),
        );
    }
    if let Some(seconds) = network.linux_policy_setup_timeout_seconds.filter(|seconds| *seconds < 0) {
        let field = "spec.calicoNetwork.linuxPolicySetupTimeoutSeconds";
        problems.add(field, format!("{seconds} is less than 0 seconds"));
    }
}

fn sysctls(network: &CalicoNetwork, problems: &mut Problems) {
    let sysctls = network.sysctl.as_deref().unwrap_or_default();
    for (index, sysctl) in sysctls.iter().enumerate() {
        let path = |field: &str| format!("spec.calicoNetwork.sysctl[{index}].{field}");
        if sysctls.iter().take(index).any(|other| other.key == sysctl.key) {
            problems.add(path("key"), format!("{} is set twice", super::cni::text(&sysctl.key)));
        }
        if sysctl.value.parse::<u32>().is_err() {
            problems.add(path("value"), format!("{:?} is no number", sysctl.value));
        }
    }
}
