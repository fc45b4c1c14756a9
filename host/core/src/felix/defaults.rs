//! The fields that the operator sets, by what the Installation says.

use chimera_crds::installation::{CniType, InstallationSpec, LinuxDataplane, Provider};
use serde_json::{Map, Value, json};

use crate::kube_proxy;

/// What `spec` holds where the user says nothing.
pub(super) fn of(spec: &InstallationSpec) -> Map<String, Value> {
    let provider = spec.kubernetes_provider.unwrap_or_default();
    let dataplane = dataplane(spec);
    let mut fields = Map::new();
    let mut set = |name: &str, value: Value| {
        fields.insert(name.to_owned(), value);
    };
    set("healthPort", health_port(provider).into());
    set("vxlanPort", 4789.into());
    set("vxlanVNI", vxlan_vni(provider).into());
    set("nftablesMode", nftables_mode(dataplane).into());
    set("nftablesFlowTableOffload", "Disabled".into());
    if dataplane == LinuxDataplane::Bpf && !kube_proxy::is_managed(spec) {
        // kube-proxy still serves that port.
        set("bpfKubeProxyHealthzPort", 0.into());
    }
    if let Some((min, max)) = route_tables(spec) {
        set("routeTableRange", json!({"min": min, "max": max}));
    }
    fields
}

/// Whether a value is what the API server fills in where nobody set the field.
pub(super) fn is_undecided(field: &str, value: &Value) -> bool {
    field == "nftablesMode" && value == "Auto"
}

/// The dataplane on Linux nodes.
pub(super) fn dataplane(spec: &InstallationSpec) -> LinuxDataplane {
    spec.calico_network.as_ref().and_then(|network| network.linux_dataplane).unwrap_or(LinuxDataplane::Iptables)
}

/// OpenShift uses the usual port itself.
fn health_port(provider: Provider) -> u16 {
    if provider == Provider::OpenShift { 9199 } else { 9099 }
}

/// Mirantis' own overlay uses the usual identifier.
fn vxlan_vni(provider: Provider) -> u32 {
    if provider == Provider::DockerEnterprise { 10_000 } else { 4096 }
}

fn nftables_mode(dataplane: LinuxDataplane) -> &'static str {
    match dataplane {
        LinuxDataplane::Nftables => "Auto",
        LinuxDataplane::Bpf => "Enabled",
        LinuxDataplane::Iptables | LinuxDataplane::Vpp => "Disabled",
    }
}

/// Routing tables that the cloud's own CNI plugin leaves to others.
fn route_tables(spec: &InstallationSpec) -> Option<(u32, u32)> {
    match spec.cni.as_ref()?.type_ {
        CniType::AmazonVpc => Some((65, 99)),
        CniType::Gke => Some((10, 250)),
        CniType::Calico | CniType::AzureVnet => None,
    }
}
