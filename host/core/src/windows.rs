//! Calico on Windows nodes: what its renderer is given beside the Installation's config.

use chimera_crds::installation::{CniType, InstallationSpec, IpamType, WindowsDataplane};
use serde_json::Value;

use crate::codes;
use crate::installation::config::InstallationConfig;
use crate::installation::inputs::InstallationInputs;
use crate::installation::services;
use crate::message::Message;
use crate::object::Object;

/// Everything that the renderer for Windows nodes needs.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowsConfig {
    /// The Installation's config.
    pub installation: InstallationConfig,
    /// Addresses of the cluster's DNS, for pods.
    pub dns_servers: Vec<String>,
    /// Identifier of the VXLAN network, which both kinds of node must agree on.
    pub vxlan_vni: u64,
}

/// Whether Calico is to run on Windows nodes.
pub fn is_wanted(spec: &InstallationSpec) -> bool {
    let network = spec.calico_network.as_ref();
    network.and_then(|network| network.windows_dataplane) == Some(WindowsDataplane::Hns)
}

/// Checks what Windows nodes need beside the Installation, whose config is checked already.
///
/// # Errors
/// Every problem that was found.
pub fn validate(inputs: &InstallationInputs, installation: InstallationConfig) -> Result<WindowsConfig, Vec<Message>> {
    let dns = dns_servers(inputs, &installation);
    let affinity = strict_affinity(inputs, &installation);
    match (dns, affinity) {
        (Ok(dns_servers), Ok(())) => {
            let vxlan_vni = vxlan_vni(inputs, &installation);
            Ok(WindowsConfig { installation, dns_servers, vxlan_vni })
        }
        (dns, affinity) => Err(dns.err().into_iter().chain(affinity.err()).map(|message| *message).collect()),
    }
}

/// Pods on Windows nodes do not learn of it from the kubelet.
fn dns_servers(inputs: &InstallationInputs, installation: &InstallationConfig) -> Result<Vec<String>, Box<Message>> {
    let (namespace, name) = services::dns(installation.cluster.provider);
    let label = format!("{namespace}/{name}");
    let servers = inputs.services.get(&label).map(|service| service.cluster_ips.clone()).unwrap_or_default();
    if servers.is_empty() {
        let detail = "the cluster's DNS has no such Service with a cluster IP";
        return Err(Box::new(Message::new(&codes::DNS_SERVICE_MISSING, detail).on(format!("Service {label}"))));
    }
    Ok(servers)
}

/// Windows nodes route whole blocks, so no other node may take an address out of theirs.
fn strict_affinity(inputs: &InstallationInputs, installation: &InstallationConfig) -> Result<(), Box<Message>> {
    let cni = installation.spec.cni.as_ref();
    let from_pools = cni.is_some_and(|cni| {
        cni.type_ == CniType::Calico && cni.ipam.as_ref().is_some_and(|ipam| ipam.type_ == IpamType::Calico)
    });
    let strict = inputs.ipam.as_ref().and_then(|ipam| ipam.pointer("/spec/strictAffinity")).and_then(Value::as_bool);
    if !from_pools || strict == Some(true) {
        return Ok(());
    }
    let kind = inputs.ipam.as_ref().map_or("IPAMConfiguration", |ipam| ipam.key().kind.as_str());
    let state = if strict.is_some() { "it is false" } else { "it is not set" };
    let message = Message::new(&codes::STRICT_AFFINITY_OFF, state).on(format!("{kind} default"));
    Err(Box::new(message.field("spec.strictAffinity")))
}

/// As it will be: the user's, else the operator's.
fn vxlan_vni(inputs: &InstallationInputs, installation: &InstallationConfig) -> u64 {
    const USUAL: u64 = 4096;
    let of = |felix: &Object| felix.pointer("/spec/vxlanVNI").and_then(Value::as_u64);
    of(&installation.felix_configuration).or_else(|| inputs.felix.as_ref().and_then(of)).unwrap_or(USUAL)
}

/// A path without the letter of its drive: containers and volumes have none.
pub(crate) fn without_drive(path: &str) -> &str {
    match path.split_at_checked(2) {
        Some((drive, rest)) if drive.eq_ignore_ascii_case("c:") => rest,
        _ => path,
    }
}

#[cfg(test)]
mod tests;
