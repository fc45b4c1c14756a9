//! `spec.cni`, and what works with Calico's own CNI plugin only.

use chimera_crds::installation::{CniType, InstallationSpec, IpamType, Provider};

use super::Problems;
use crate::installation::cluster::provider_name;

/// Checks the effective spec; what works with Calico's plugin only is looked for in what the user stated.
pub(super) fn check(spec: &InstallationSpec, stated: &InstallationSpec, provider: Provider, problems: &mut Problems) {
    let Some(cni) = &spec.cni else { return };
    on_provider(cni.type_, provider, problems);
    let ipam = cni.ipam.as_ref().map(|ipam| ipam.type_);
    if let Some(ipam) = ipam.filter(|ipam| !ipams(cni.type_).contains(ipam)) {
        let allowed: Vec<_> = ipams(cni.type_).iter().map(text).collect();
        let detail = format!(
            "{} does not work with the CNI plugin {}; use {}",
            text(&ipam),
            text(&cni.type_),
            allowed.join(" or ")
        );
        problems.add("spec.cni.ipam.type", detail);
    }
    for (field, path) in [(&cni.bin_dir, "spec.cni.binDir"), (&cni.conf_dir, "spec.cni.confDir")] {
        super::fields::directory(field.as_deref(), path, false, problems);
    }
    if cni.type_ != CniType::Calico {
        calico_only(cni.type_, stated, problems);
    }
}

/// A cloud's CNI plugin works on that cloud, or where the user says nothing of the platform.
fn on_provider(cni: CniType, provider: Provider, problems: &mut Problems) {
    let homes: &[Provider] = match cni {
        CniType::Calico => return,
        CniType::Gke => &[Provider::Gke],
        CniType::AmazonVpc => &[Provider::Eks, Provider::Rke2],
        CniType::AzureVnet => &[Provider::Aks],
    };
    if provider != Provider::None && !homes.contains(&provider) {
        let homes: Vec<_> = homes.iter().map(|home| provider_name(*home)).collect();
        let detail = format!(
            "{} does not work on {}, only on {}; use Calico, or correct spec.kubernetesProvider",
            text(&cni),
            provider_name(provider),
            homes.join(" and ")
        );
        problems.add("spec.cni.type", detail);
    }
}

fn ipams(cni: CniType) -> &'static [IpamType] {
    match cni {
        CniType::Calico => &[IpamType::Calico, IpamType::HostLocal],
        CniType::Gke => &[IpamType::HostLocal],
        CniType::AmazonVpc => &[IpamType::AmazonVpc],
        CniType::AzureVnet => &[IpamType::AzureVnet],
    }
}

fn calico_only(cni: CniType, stated: &InstallationSpec, problems: &mut Problems) {
    let network = stated.calico_network.clone().unwrap_or_default();
    let set = [
        ("spec.calicoNetwork.hostPorts", network.host_ports.is_some()),
        ("spec.calicoNetwork.multiInterfaceMode", network.multi_interface_mode.is_some()),
        ("spec.calicoNetwork.containerIPForwarding", network.container_ip_forwarding.is_some()),
        ("spec.calicoNetwork.sysctl", network.sysctl.is_some_and(|sysctl| !sysctl.is_empty())),
        ("spec.calicoNetwork.linuxPodInterfaceType", network.linux_pod_interface_type.is_some()),
        (
            "spec.calicoNetwork.linuxPolicySetupTimeoutSeconds",
            network.linux_policy_setup_timeout_seconds.is_some_and(|seconds| seconds != 0),
        ),
        ("spec.logging.cni", stated.logging.as_ref().is_some_and(|logging| logging.cni.is_some())),
    ];
    for (field, _) in set.into_iter().filter(|(_, set)| *set) {
        problems.add(field, format!("it works with the CNI plugin Calico only, but spec.cni.type is {}", text(&cni)));
    }
}

/// A value of an enum as it stands in the resource.
pub(super) fn text(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(Into::into)).unwrap_or_default()
}
