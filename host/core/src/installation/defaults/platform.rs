//! What differs from platform to platform.

use chimera_crds::installation::overrides::TyphaAffinity;
use chimera_crds::installation::{NodeAddressAutodetection, Provider};
use k8s_openapi::api::core::v1::{NodeAffinity, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm};

/// Where the kubelet looks for FlexVolume drivers.
pub(super) fn flex_volume_path(provider: Provider) -> &'static str {
    match provider {
        Provider::OpenShift => "/etc/kubernetes/kubelet-plugins/volume/exec/",
        Provider::Gke => "/home/kubernetes/flexvolume/",
        Provider::Aks => "/etc/kubernetes/volumeplugins/",
        Provider::Rke2 => "/var/lib/kubelet/volumeplugins/",
        _ => "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/",
    }
}

/// Where the container runtime looks for CNI binaries.
pub(super) fn cni_bin_dir(provider: Provider) -> &'static str {
    match provider {
        Provider::OpenShift => "/var/lib/cni/bin",
        Provider::Gke => "/home/kubernetes/bin",
        _ => "/opt/cni/bin",
    }
}

/// Where the container runtime looks for CNI configuration.
pub(super) fn cni_conf_dir(provider: Provider) -> &'static str {
    match provider {
        Provider::OpenShift => "/var/run/multus/cni/net.d",
        _ => "/etc/cni/net.d",
    }
}

/// As [`cni_bin_dir`], on Windows nodes.
pub(super) fn windows_cni_bin_dir(provider: Provider) -> &'static str {
    if provider == Provider::Aks { "/k/azurecni/bin" } else { "/opt/cni/bin" }
}

/// As [`cni_conf_dir`], on Windows nodes.
pub(super) fn windows_cni_conf_dir(provider: Provider) -> &'static str {
    if provider == Provider::Aks { "/k/azurecni/netconf" } else { "/etc/cni/net.d" }
}

/// The range of a pool if nothing says another: on EKS one that no VPC starts with by default.
pub(super) fn fallback_pod_cidr(provider: Provider) -> &'static str {
    if provider == Provider::Eks { "172.16.0.0/16" } else { "192.168.0.0/16" }
}

/// How a node finds its IPv4 address.
pub(super) fn autodetection_v4(provider: Provider) -> NodeAddressAutodetection {
    match provider {
        // Nodes have interfaces for pods too; the route to the outside tells which one is the node's.
        Provider::Eks => NodeAddressAutodetection { can_reach: Some("8.8.8.8".into()), ..Default::default() },
        _ => autodetection(provider),
    }
}

/// How a node finds its IPv6 address.
pub(super) fn autodetection_v6(provider: Provider) -> NodeAddressAutodetection {
    autodetection(provider)
}

fn autodetection(provider: Provider) -> NodeAddressAutodetection {
    match provider {
        // Bridges of the platform's own containers.
        Provider::DockerEnterprise => {
            NodeAddressAutodetection { skip_interface: Some("^br-.*".into()), ..Default::default() }
        }
        _ => NodeAddressAutodetection { first_found: Some(true), ..Default::default() },
    }
}

/// Keeps Typha off nodes that are only virtual (Azure Container Instances).
pub(super) fn aks_typha_affinity() -> TyphaAffinity {
    let requirement = |key: &str, operator: &str, values: Option<Vec<String>>| NodeSelectorRequirement {
        key: key.into(),
        operator: operator.into(),
        values,
    };
    let term = NodeSelectorTerm {
        match_expressions: Some(vec![
            requirement("type", "NotIn", Some(vec!["virtual-node".into()])),
            requirement("kubernetes.azure.com/cluster", "Exists", None),
        ]),
        ..NodeSelectorTerm::default()
    };
    TyphaAffinity {
        node_affinity: Some(NodeAffinity {
            required_during_scheduling_ignored_during_execution: Some(NodeSelector { node_selector_terms: vec![term] }),
            ..NodeAffinity::default()
        }),
    }
}
