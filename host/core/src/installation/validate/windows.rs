//! Calico on Windows nodes.

use chimera_crds::installation::{CniType, EncapsulationType, InstallationSpec, Toggle, WindowsDataplane};

use super::Problems;
use super::cni::text;
use crate::installation::inputs::InstallationInputs;
use crate::windows::without_drive;

/// Checks what the Windows dataplane needs, if it is on.
pub(super) fn check(spec: &InstallationSpec, inputs: &InstallationInputs, problems: &mut Problems) {
    let Some(network) = &spec.calico_network else { return };
    if network.windows_dataplane != Some(WindowsDataplane::Hns) {
        return;
    }
    surroundings(spec, inputs, problems);
    if spec.service_cidrs.as_deref().is_none_or(<[String]>::is_empty) {
        problems.add("spec.serviceCIDRs", "the Windows dataplane HNS needs the ranges of Services; list them");
    }
    let cni = spec.cni.as_ref().map(|cni| cni.type_);
    if cni == Some(CniType::Gke) {
        problems.add("spec.cni.type", "the Windows dataplane HNS does not work with GKE; use Calico");
    }
    let pools = network.ip_pools.iter().flatten().enumerate();
    for (index, pool) in pools.filter(|_| cni == Some(CniType::Calico)) {
        let Some(encapsulation) = pool.encapsulation else { continue };
        let unwrapped = encapsulation == EncapsulationType::None && network.bgp.is_some_and(Toggle::is_enabled);
        if encapsulation != EncapsulationType::Vxlan && !unwrapped {
            let detail = format!(
                "{} does not work with the Windows dataplane HNS; use VXLAN, or None with BGP enabled",
                text(&encapsulation)
            );
            problems.add(format!("spec.calicoNetwork.ipPools[{index}].encapsulation"), detail);
        }
    }
    mac_prefix(spec, problems);
}

/// What is not of the network itself.
fn surroundings(spec: &InstallationSpec, inputs: &InstallationInputs, problems: &mut Problems) {
    if inputs.config_maps.services_endpoint.is_none() {
        let detail = "HNS needs the API server's address in ConfigMap kubernetes-services-endpoint of the operator's \
                      namespace (KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT); create it";
        problems.add("spec.calicoNetwork.windowsDataplane", detail);
    }
    if spec.certificate_management.is_some() {
        let detail = "pods on Windows nodes cannot request their certificates; take it out, or set \
                      spec.calicoNetwork.windowsDataplane to Disabled";
        problems.add("spec.certificateManagement", detail);
    }
    let windows = spec.windows_nodes.clone().unwrap_or_default();
    let directories = [
        (windows.cni_bin_dir, "spec.windowsNodes.cniBinDir"),
        (windows.cni_config_dir, "spec.windowsNodes.cniConfigDir"),
        (windows.cni_log_dir, "spec.windowsNodes.cniLogDir"),
    ];
    for (path, field) in directories {
        super::fields::directory(path.as_deref().map(without_drive), field, false, problems);
    }
}

fn mac_prefix(spec: &InstallationSpec, problems: &mut Problems) {
    let prefix = spec.windows_nodes.as_ref().and_then(|windows| windows.vxlan_mac_prefix.as_deref());
    let byte = |text: &str| text.len() == 2 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let good = |prefix: &str| prefix.split_once('-').is_some_and(|(first, second)| byte(first) && byte(second));
    if let Some(prefix) = prefix.filter(|prefix| !good(prefix)) {
        let detail = format!("{prefix:?} is not two bytes in hexadecimal, such as 0E-2A");
        problems.add("spec.windowsNodes.vxlanMACPrefix", detail);
    }
}
