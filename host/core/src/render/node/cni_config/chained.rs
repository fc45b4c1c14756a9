//! Reference plugins that are called after Calico's. Fields stand in the order of their names, as in [`super::calico`].

use std::collections::BTreeMap;

use chimera_crds::installation::{Sysctl, SysctlKey};
use serde::Serialize;

/// Ports of the host that lead to a pod.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct PortMap {
    capabilities: PortMapCapabilities,
    snat: bool,
    #[serde(rename = "type")]
    type_: &'static str,
}

#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct PortMapCapabilities {
    port_mappings: bool,
}

/// Kernel settings of a pod's network.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Tuning {
    sysctl: BTreeMap<SysctlKey, String>,
    #[serde(rename = "type")]
    type_: &'static str,
}

/// The plugin for ports of the host.
pub(super) fn port_map() -> PortMap {
    PortMap { capabilities: PortMapCapabilities { port_mappings: true }, snat: true, type_: "portmap" }
}

/// The plugin for kernel settings.
pub(super) fn tuning(sysctls: &[Sysctl]) -> Tuning {
    let sysctl = sysctls.iter().map(|sysctl| (sysctl.key, sysctl.value.clone())).collect();
    Tuning { sysctl, type_: "tuning" }
}
