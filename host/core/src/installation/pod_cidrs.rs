//! The cluster's pod CIDRs, where the platform says.

use serde::Deserialize;

use super::inputs::InstallationInputs;
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
}

/// From OpenShift's Network, else from kubeadm's configuration; empty if neither says.
pub(crate) fn of(inputs: &InstallationInputs) -> Vec<String> {
    if !inputs.openshift_pod_cidrs.is_empty() {
        return inputs.openshift_pod_cidrs.clone();
    }
    // What cannot be read is told once, by `check`.
    kubeadm(inputs).ok().flatten().unwrap_or_default()
}

/// A message if kubeadm's configuration is there and cannot be read.
pub(super) fn check(inputs: &InstallationInputs) -> Option<Message> {
    let error = kubeadm(inputs).err()?;
    let message = Message::new(&codes::UNREADABLE_RESOURCE, error);
    Some(message.on("ConfigMap kube-system/kubeadm-config").field("data.ClusterConfiguration"))
}

fn kubeadm(inputs: &InstallationInputs) -> Result<Option<Vec<String>>, String> {
    let text = inputs.config_maps.kubeadm.as_ref().and_then(|data| data.get("ClusterConfiguration"));
    let Some(text) = text else { return Ok(None) };
    let configuration: ClusterConfiguration = serde_saphyr::from_str(text).map_err(|error| yaml::problem(&error))?;
    let subnets = configuration.networking.pod_subnet;
    Ok(Some(subnets.split(',').map(str::trim).filter(|subnet| !subnet.is_empty()).map(Into::into).collect()))
}
