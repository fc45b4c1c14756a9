//! Environment variables.

use chimera_crds::installation::{CniType, InstallationSpec};
use k8s_openapi::api::core::v1::{ConfigMapKeySelector, EnvVar, EnvVarSource, ObjectFieldSelector};

use crate::installation::config::{ApiGroup, Cluster};

/// One with a value.
pub(crate) fn value(name: &str, value: impl ToString) -> EnvVar {
    EnvVar { name: name.into(), value: Some(value.to_string()), ..EnvVar::default() }
}

/// One that takes a field of its pod.
pub(crate) fn pod_field(name: &str, path: &str) -> EnvVar {
    let field = ObjectFieldSelector { field_path: path.into(), ..ObjectFieldSelector::default() };
    from(name, EnvVarSource { field_ref: Some(field), ..EnvVarSource::default() })
}

/// One that takes a key of a ConfigMap.
pub(crate) fn config_map_key(name: &str, config_map: &str, key: &str) -> EnvVar {
    let key = ConfigMapKeySelector { name: config_map.into(), key: key.into(), ..ConfigMapKeySelector::default() };
    from(name, EnvVarSource { config_map_key_ref: Some(key), ..EnvVarSource::default() })
}

fn from(name: &str, source: EnvVarSource) -> EnvVar {
    EnvVar { name: name.into(), value_from: Some(source), ..EnvVar::default() }
}

/// The API server's address, for pods that cannot rely on the Service in front of it: the ones that make Services work.
pub(crate) fn api_server(cluster: &Cluster) -> Vec<EnvVar> {
    let Some(endpoint) = &cluster.api_server else { return Vec::new() };
    vec![value("KUBERNETES_SERVICE_HOST", &endpoint.host), value("KUBERNETES_SERVICE_PORT", &endpoint.port)]
}

/// The proxy for connections that leave the cluster. Some programs look for the one spelling, some for the other.
pub(crate) fn proxy(spec: &InstallationSpec) -> Vec<EnvVar> {
    let Some(proxy) = &spec.proxy else { return Vec::new() };
    let all = [("HTTP_PROXY", &proxy.http_proxy), ("HTTPS_PROXY", &proxy.https_proxy), ("NO_PROXY", &proxy.no_proxy)];
    let set = all.into_iter().filter_map(|(name, text)| Some((name, text.as_deref().filter(|text| !text.is_empty())?)));
    set.flat_map(|(name, text)| [value(name, text), value(&name.to_lowercase(), text)]).collect()
}

/// Where Calico's resources are served, if not where its components look by default.
pub(crate) fn api_group(group: ApiGroup) -> Option<EnvVar> {
    match group {
        ApiGroup::V1 => None,
        ApiGroup::V3 => Some(value("CALICO_API_GROUP", group.api_version())),
    }
}

/// What the names of pods' interfaces begin with, if another CNI plugin than Calico's makes them.
pub(crate) fn interface_prefix(cni: CniType) -> Option<EnvVar> {
    let prefix = match cni {
        CniType::Calico => return None,
        CniType::Gke => "gke",
        CniType::AmazonVpc => "eni",
        CniType::AzureVnet => "azv",
    };
    Some(value("FELIX_INTERFACEPREFIX", prefix))
}

/// Addresses come from each node's `podCIDR` instead of from pools.
pub(crate) fn use_pod_cidr() -> EnvVar {
    value("USE_POD_CIDR", true)
}
