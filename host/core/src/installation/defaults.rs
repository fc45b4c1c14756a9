//! The effective spec: what the user wrote, and what the operator chooses where the user says nothing.
//!
//! Choices that depend on the cluster are made once: [`Memory`] holds them, and they stay when the cluster around them
//! changes. Everything else follows from the spec each time.

mod cni;
mod network;
mod platform;
mod remembered;
mod sparse;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use chimera_crds::installation::{
    Azure, AzurePolicyMode, CniLogging, CniType, InstallationSpec, LogSeverity, Provider, WindowsDataplane,
};
use k8s_openapi::api::apps::v1::{DaemonSetUpdateStrategy, RollingUpdateDaemonSet};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde_json::Value;

pub(crate) use sparse::difference;

use super::cluster;
use super::inputs::InstallationInputs;
use crate::migrate;

/// What the operator chose before, from `status.defaults`. What cannot be read any more counts as not chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory(InstallationSpec);

impl Memory {
    /// From `status.defaults`.
    pub fn new(defaults: Option<&BTreeMap<String, Value>>) -> Self {
        Self(remembered::read(defaults, None))
    }

    /// What the operator chose before; where it did not choose yet, what a manifest install has that is to be taken over.
    fn of(inputs: &InstallationInputs) -> Self {
        let status = inputs.installation.status.as_ref();
        let before = status.and_then(|status| status.computed.as_ref()?.cni.as_ref()).map(|cni| cni.type_);
        let chosen = remembered::read(status.and_then(|status| status.defaults.as_ref()), before);
        if !inputs.manifest.is_install() {
            return Self(chosen);
        }
        Self(migrate::under(&chosen, &migrate::convert(inputs).spec))
    }
}

/// The effective spec for what was read.
pub fn effective(inputs: &InstallationInputs) -> InstallationSpec {
    let memory = Memory::of(inputs);
    let mut spec = inputs.installation.spec.clone();
    remembered::lay_under(&mut spec, &memory.0);
    let provider = provider(&spec, &memory, inputs);
    spec.kubernetes_provider = Some(provider).filter(|provider| *provider != Provider::None);
    let cni = cni::complete(spec.cni.take(), &memory.0, provider, inputs.aws_node);
    spec.calico_network = Some(network::complete(&spec, &cni, &memory.0, provider, inputs));
    spec.cni = Some(cni);
    general(&mut spec, &memory.0, inputs);
    paths(&mut spec, provider);
    provider_details(&mut spec, provider);
    logging(&mut spec);
    windows(&mut spec, provider);
    spec
}

fn provider(spec: &InstallationSpec, memory: &Memory, inputs: &InstallationInputs) -> Provider {
    let stated = spec.kubernetes_provider.filter(|provider| *provider != Provider::None);
    let found = || memory.0.kubernetes_provider.or_else(|| cluster::detected_provider(inputs));
    stated.or_else(found).unwrap_or_default()
}

fn general(spec: &mut InstallationSpec, memory: &InstallationSpec, inputs: &InstallationInputs) {
    spec.variant.get_or_insert_default();
    if let Some(registry) = &mut spec.registry
        && !registry.is_empty()
        && registry != "UseDefault"
        && !registry.ends_with('/')
    {
        registry.push('/');
    }
    let replicas = || memory.control_plane_replicas.unwrap_or(if cluster::linux_nodes(inputs) == 1 { 1 } else { 2 });
    spec.control_plane_replicas.get_or_insert_with(replicas);
    let strategy = spec.node_update_strategy.get_or_insert_with(DaemonSetUpdateStrategy::default);
    let kind = strategy.type_.get_or_insert_with(|| "RollingUpdate".into());
    if kind == "RollingUpdate" {
        let rolling = strategy.rolling_update.get_or_insert_with(RollingUpdateDaemonSet::default);
        rolling.max_unavailable.get_or_insert(IntOrString::Int(1));
    }
}

fn paths(spec: &mut InstallationSpec, provider: Provider) {
    fill(&mut spec.flex_volume_path, platform::flex_volume_path(provider));
    fill(&mut spec.kubelet_volume_plugin_path, "/var/lib/kubelet");
    fill(&mut spec.calico_lib_host_path, "/var/lib/calico");
    fill(&mut spec.calico_run_host_path, "/var/run/calico");
}

/// A text that is absent or empty.
fn fill(field: &mut Option<String>, default: &str) {
    if field.as_deref().is_none_or(str::is_empty) {
        *field = Some(default.into());
    }
}

fn provider_details(spec: &mut InstallationSpec, provider: Provider) {
    if provider == Provider::Aks {
        let azure = spec.azure.get_or_insert_with(Azure::default);
        azure.policy_mode.get_or_insert(AzurePolicyMode::Default);
        spec.typha_affinity.get_or_insert_with(platform::aks_typha_affinity);
    }
}

fn logging(spec: &mut InstallationSpec) {
    if spec.cni.as_ref().is_none_or(|cni| cni.type_ != CniType::Calico) {
        return;
    }
    let cni = spec.logging.get_or_insert_default().cni.get_or_insert_with(CniLogging::default);
    cni.log_severity.get_or_insert(LogSeverity::Info);
    cni.log_file_max_size.get_or_insert_with(|| Quantity("100Mi".into()));
    cni.log_file_max_age_days.get_or_insert(30);
    cni.log_file_max_count.get_or_insert(10);
}

fn windows(spec: &mut InstallationSpec, provider: Provider) {
    let dataplane = spec.calico_network.as_ref().and_then(|network| network.windows_dataplane);
    if dataplane == Some(WindowsDataplane::Hns) {
        let windows = spec.windows_nodes.get_or_insert_default();
        fill(&mut windows.cni_bin_dir, platform::windows_cni_bin_dir(provider));
        fill(&mut windows.cni_config_dir, platform::windows_cni_conf_dir(provider));
        fill(&mut windows.cni_log_dir, "/var/log/calico/cni");
    }
}
