//! The cluster's ranges of pods and Services, where the platform says.

use std::net::IpAddr;

use ipnet::IpNet;
use serde::Deserialize;

use super::inputs::InstallationInputs;
use super::services::API_SERVICE;
use crate::codes;
use crate::message::Message;
use crate::yaml;

/// kubeadm's own document, the part that matters.
#[derive(Default, Deserialize)]
struct ClusterConfiguration {
    #[serde(default)]
    networking: Networking,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Networking {
    #[serde(default)]
    pod_subnet: String,
    #[serde(default)]
    service_subnet: String,
}

/// From OpenShift's Network, else from kubeadm's configuration; empty if neither says.
pub(crate) fn of(inputs: &InstallationInputs) -> Vec<String> {
    if !inputs.openshift_pod_cidrs.is_empty() {
        return inputs.openshift_pod_cidrs.clone();
    }
    // What cannot be read is told once, by `check`.
    kubeadm(inputs).ok().map(|networking| list(&networking.pod_subnet)).unwrap_or_default()
}

/// Ranges of Services from kubeadm's configuration, else the address of the Service in front of the API servers; empty if
/// neither is known.
pub(super) fn of_services(inputs: &InstallationInputs) -> Vec<String> {
    let ranges = kubeadm(inputs).ok().map(|networking| list(&networking.service_subnet)).unwrap_or_default();
    if !ranges.is_empty() {
        return ranges;
    }
    let (namespace, name) = API_SERVICE;
    let addresses = inputs.services.get(&format!("{namespace}/{name}")).map(|service| service.cluster_ips.as_slice());
    let addresses = addresses.unwrap_or_default().iter().filter_map(|address| address.parse::<IpAddr>().ok());
    addresses.map(|address| IpNet::from(address).to_string()).collect()
}

/// A message if kubeadm's configuration is there and cannot be read.
pub(super) fn check(inputs: &InstallationInputs) -> Option<Message> {
    let error = kubeadm(inputs).err()?;
    let message = Message::new(&codes::UNREADABLE_RESOURCE, error);
    Some(message.on("ConfigMap kube-system/kubeadm-config").field("data.ClusterConfiguration"))
}

fn kubeadm(inputs: &InstallationInputs) -> Result<Networking, String> {
    let text = inputs.config_maps.kubeadm.as_ref().and_then(|data| data.get("ClusterConfiguration"));
    let Some(text) = text else { return Ok(Networking::default()) };
    let configuration: ClusterConfiguration = serde_saphyr::from_str(text).map_err(|error| yaml::problem(&error))?;
    Ok(configuration.networking)
}

fn list(subnets: &str) -> Vec<String> {
    subnets.split(',').map(str::trim).filter(|subnet| !subnet.is_empty()).map(Into::into).collect()
}
