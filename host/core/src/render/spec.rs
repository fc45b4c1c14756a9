//! Questions that renderers ask of the effective spec.

use chimera_crds::installation::{
    CalicoNetwork, Cni, CniInstallMode, CniType, InstallationSpec, IpamType, KubernetesAutodetectionMethod,
    LinuxDataplane, MultiInterfaceMode, NodeAddressAutodetection, Toggle,
};

/// What a path field says to have nothing installed there.
const NONE: &str = "None";

/// Which CNI plugin pods get.
pub(crate) fn cni_type(spec: &InstallationSpec) -> CniType {
    spec.cni.as_ref().map_or(CniType::Calico, |cni| cni.type_)
}

/// Calico's CNI plugin and its settings, if pods get it.
pub(crate) fn calico_cni(spec: &InstallationSpec) -> Option<&Cni> {
    spec.cni.as_ref().filter(|cni| cni.type_ == CniType::Calico)
}

/// Whether the CNI reference plugins are put on hosts, too.
pub(crate) fn installs_reference_plugins(cni: &Cni) -> bool {
    cni.install_mode != Some(CniInstallMode::CalicoOnly)
}

/// Who gives a pod more than one interface, in the words of Calico's components; none where its network is not Calico's.
pub(crate) fn multi_interface_mode(spec: &InstallationSpec) -> Option<&'static str> {
    network(spec)?.multi_interface_mode.map(|mode| match mode {
        MultiInterfaceMode::None => "none",
        MultiInterfaceMode::Multus => "multus",
    })
}

/// Whether addresses of pods come from each node's `podCIDR`.
pub(crate) fn uses_pod_cidr(spec: &InstallationSpec) -> bool {
    let ipam = spec.cni.as_ref().and_then(|cni| cni.ipam.as_ref());
    ipam.is_some_and(|ipam| ipam.type_ == IpamType::HostLocal)
}

/// `spec.calicoNetwork`.
pub(crate) fn network(spec: &InstallationSpec) -> Option<&CalicoNetwork> {
    spec.calico_network.as_ref()
}

/// Whether nodes exchange routes by BGP.
pub(crate) fn bgp(spec: &InstallationSpec) -> bool {
    network(spec).and_then(|network| network.bgp).is_some_and(Toggle::is_enabled)
}

/// The dataplane of Linux nodes.
pub(crate) fn dataplane(spec: &InstallationSpec) -> LinuxDataplane {
    network(spec).and_then(|network| network.linux_dataplane).unwrap_or(LinuxDataplane::Iptables)
}

/// MTU of pods, in bytes, if the user fixed it.
pub(crate) fn mtu(spec: &InstallationSpec) -> Option<i32> {
    network(spec).and_then(|network| network.mtu)
}

/// Whether there is a pool of addresses of this family.
pub(crate) fn has_pool(spec: &InstallationSpec, is_family: impl Fn(&ipnet::IpNet) -> bool) -> bool {
    let pools = network(spec).and_then(|network| network.ip_pools.as_ref());
    pools.into_iter().flatten().any(|pool| pool.cidr.parse().is_ok_and(|cidr| is_family(&cidr)))
}

/// Seconds that the CNI plugin waits for policies of a new pod, if it does.
pub(crate) fn policy_setup_timeout(spec: &InstallationSpec) -> i32 {
    network(spec).and_then(|network| network.linux_policy_setup_timeout_seconds).unwrap_or(0)
}

/// Where Calico keeps state of a node, on its host.
pub(crate) fn lib_path(spec: &InstallationSpec) -> &str {
    spec.calico_lib_host_path.as_deref().unwrap_or("/var/lib/calico")
}

/// Where Calico keeps what lives until a node restarts, on its host.
pub(crate) fn run_path(spec: &InstallationSpec) -> &str {
    spec.calico_run_host_path.as_deref().unwrap_or("/var/run/calico")
}

/// The directory that kubelets look for FlexVolume drivers in, unless none is installed.
pub(crate) fn flex_volume_path(spec: &InstallationSpec) -> Option<&str> {
    spec.flex_volume_path.as_deref().filter(|path| *path != NONE)
}

/// The directory that kubelets look for CSI drivers in, unless none is installed.
pub(crate) fn kubelet_path(spec: &InstallationSpec) -> Option<&str> {
    spec.kubelet_volume_plugin_path.as_deref().filter(|path| *path != NONE)
}

/// How a node finds its address, in the words of calico-node; none if it does not look for one.
pub(crate) fn autodetection(method: Option<&NodeAddressAutodetection>) -> Option<String> {
    let method = method?;
    let text = |prefix: &str, value: &Option<String>| {
        value.as_deref().filter(|value| !value.is_empty()).map(|value| format!("{prefix}={value}"))
    };
    let cidrs = method.cidrs.as_ref().filter(|cidrs| !cidrs.is_empty());
    match method.kubernetes {
        Some(KubernetesAutodetectionMethod::NodeInternalIp) => Some("kubernetes-internal-ip".into()),
        None => text("interface", &method.interface)
            .or_else(|| text("skip-interface", &method.skip_interface))
            .or_else(|| text("can-reach", &method.can_reach))
            .or_else(|| cidrs.map(|cidrs| format!("cidr={}", cidrs.join(","))))
            .or_else(|| (method.first_found == Some(true)).then(|| "first-found".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_to_find_an_address_has_its_word() {
        let method = NodeAddressAutodetection::default;
        let word = |method: NodeAddressAutodetection| autodetection(Some(&method));
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(word(NodeAddressAutodetection { first_found: Some(true), ..method() }), text("first-found"));
        assert_eq!(word(NodeAddressAutodetection { interface: text("wool.*"), ..method() }), text("interface=wool.*"));
        assert_eq!(word(NodeAddressAutodetection { can_reach: text("::1"), ..method() }), text("can-reach=::1"));
        let cidrs = Some(vec!["10.0.0.0/8".to_owned(), "fd00::/8".to_owned()]);
        assert_eq!(word(NodeAddressAutodetection { cidrs, ..method() }), text("cidr=10.0.0.0/8,fd00::/8"));
        let kubernetes = Some(KubernetesAutodetectionMethod::NodeInternalIp);
        assert_eq!(word(NodeAddressAutodetection { kubernetes, ..method() }), text("kubernetes-internal-ip"));
        assert_eq!(word(method()), None);
        assert_eq!(autodetection(None), None);
    }
}
