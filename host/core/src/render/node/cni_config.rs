//! The CNI configuration, as text.

pub(crate) mod calico;
mod chained;

use chimera_crds::installation::{Cni, CniSpecVersion, Toggle};
use serde::Serialize;

use crate::installation::config::InstallationConfig;
use crate::render::spec;

/// One plugin of the list, in the order that they are called in.
#[derive(Debug, PartialEq, Serialize)]
#[serde(untagged)]
enum Plugin {
    Calico(Box<calico::Calico>),
    PortMap(chained::PortMap),
    Tuning(chained::Tuning),
}

/// The file that is installed on each node.
pub(super) fn text(config: &InstallationConfig, cni: &Cni) -> Result<String, serde_json::Error> {
    list("k8s-pod-network", cni, &plugins(config, cni))
}

/// A list of plugins under the network's name.
///
/// Its layout is the one that clusters have already: pods carry a hash of this text, and another indentation would
/// restart calico-node everywhere when this operator takes over.
pub(crate) fn list(name: &str, cni: &Cni, plugins: &impl Serialize) -> Result<String, serde_json::Error> {
    let version = spec_version(cni.spec_version);
    let plugins = serde_json::to_string(plugins)?;
    let indent = "\t\t\t";
    Ok(format!(
        "{{\n{indent}  \"name\": \"{name}\",\n{indent}  \"cniVersion\": \"{version}\",\n{indent}  \"plugins\": {plugins}\n{indent}}}"
    ))
}

fn spec_version(wanted: Option<CniSpecVersion>) -> &'static str {
    match wanted {
        None | Some(CniSpecVersion::Auto | CniSpecVersion::V1_0_0) => "1.0.0",
        Some(CniSpecVersion::V0_4_0) => "0.4.0",
        Some(CniSpecVersion::V0_3_1) => "0.3.1",
    }
}

fn plugins(config: &InstallationConfig, cni: &Cni) -> Vec<Plugin> {
    let network = spec::network(&config.spec);
    let mut plugins = vec![Plugin::Calico(Box::new(calico::calico(config, cni)))];
    if network.and_then(|network| network.host_ports).is_some_and(Toggle::is_enabled) {
        plugins.push(Plugin::PortMap(chained::port_map()));
    }
    let sysctls = network.and_then(|network| network.sysctl.as_deref()).unwrap_or_default();
    if !sysctls.is_empty() {
        plugins.push(Plugin::Tuning(chained::tuning(sysctls)));
    }
    plugins
}
