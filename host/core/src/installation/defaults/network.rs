//! `spec.calicoNetwork`.

use chimera_crds::installation::{
    CalicoNetwork, Cni, CniType, InstallationSpec, IpPool, IpamType, LinuxDataplane, MultiInterfaceMode, Provider,
    Toggle, WindowsDataplane,
};

use super::{InstallationInputs, platform};
use crate::installation::pod_cidrs;
use crate::ip_pools::{Sources, choose, parse_cidr};

/// The network with everything filled in.
pub(super) fn complete(
    spec: &InstallationSpec,
    cni: &Cni,
    memory: &InstallationSpec,
    provider: Provider,
    inputs: &InstallationInputs,
) -> CalicoNetwork {
    let remembered = memory.calico_network.as_ref();
    let mut network = spec.calico_network.clone().unwrap_or_default();
    let calico = cni.type_ == CniType::Calico;
    let dataplane = *network.linux_dataplane.get_or_insert_with(|| {
        remembered.and_then(|network| network.linux_dataplane).unwrap_or(LinuxDataplane::Iptables)
    });
    network.windows_dataplane.get_or_insert(WindowsDataplane::Disabled);
    network.bgp.get_or_insert(if calico { Toggle::Enabled } else { Toggle::Disabled });
    let pools = pools(&network, cni, remembered, provider, inputs);
    if calico {
        autodetection(&mut network, remembered, &pools, provider);
        network.host_ports.get_or_insert(Toggle::Enabled);
        network.multi_interface_mode.get_or_insert(MultiInterfaceMode::None);
        if dataplane != LinuxDataplane::Bpf {
            network.linux_policy_setup_timeout_seconds.get_or_insert(0);
        }
    }
    network.ip_pools = Some(pools);
    network
}

fn pools(
    network: &CalicoNetwork,
    cni: &Cni,
    remembered: Option<&CalicoNetwork>,
    provider: Provider,
    inputs: &InstallationInputs,
) -> Vec<IpPool> {
    if cni.type_ != CniType::Calico && network.ip_pools.is_none() {
        return Vec::new();
    }
    choose(&Sources {
        stated: network.ip_pools.as_deref(),
        // An empty memory is of another CNI plugin, which has no pools.
        remembered: remembered.and_then(|network| network.ip_pools.as_deref()).filter(|pools| !pools.is_empty()),
        existing: &inputs.ip_pools,
        pod_cidrs: &pod_cidrs::of(inputs),
        fallback: platform::fallback_pod_cidr(provider),
        bgp: network.bgp.is_some_and(Toggle::is_enabled),
        ipam: cni.ipam.as_ref().map_or(IpamType::Calico, |ipam| ipam.type_),
    })
}

/// For each family that has pools; without any pool of the operator's, IPv4.
fn autodetection(
    network: &mut CalicoNetwork,
    remembered: Option<&CalicoNetwork>,
    pools: &[IpPool],
    provider: Provider,
) {
    let nets: Vec<_> = pools.iter().filter_map(|pool| parse_cidr(&pool.cidr)).collect();
    let has_v6 = nets.iter().any(|net| net.addr().is_ipv6());
    let has_v4 = nets.iter().any(|net| net.addr().is_ipv4()) || !has_v6;
    if has_v4 {
        let before = remembered.and_then(|network| network.node_address_autodetection_v4.clone());
        let find = || before.unwrap_or_else(|| platform::autodetection_v4(provider));
        network.node_address_autodetection_v4.get_or_insert_with(find);
    }
    if has_v6 {
        let before = remembered.and_then(|network| network.node_address_autodetection_v6.clone());
        let find = || before.unwrap_or_else(|| platform::autodetection_v6(provider));
        network.node_address_autodetection_v6.get_or_insert_with(find);
    }
}
