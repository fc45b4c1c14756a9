//! Services that the operator goes by: the cluster's DNS, and the one in front of the API servers.

use chimera_crds::installation::{InstallationSpec, LinuxDataplane, Provider, Toggle};
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::api::discovery::v1::EndpointSlice;

use super::config::Endpoint;
use super::inputs::{InstallationInputs, ServiceFacts};
use crate::goldmane::Collector;
use crate::names::{CALICO_SYSTEM, GOLDMANE};

/// Label of an EndpointSlice: the Service that it belongs to.
const SERVICE_LABEL: &str = "kubernetes.io/service-name";
/// The Service in front of the API servers.
pub const API_SERVICE: (&str, &str) = ("default", "kubernetes");
/// The Service in front of Goldmane.
pub const GOLDMANE_SERVICE: (&str, &str) = (CALICO_SYSTEM, GOLDMANE);
/// Port of the one in front of the API servers.
const HTTPS: &str = "https";

/// The cluster's DNS on a platform, as namespace and name.
pub fn dns(provider: Provider) -> (&'static str, &'static str) {
    match provider {
        Provider::OpenShift => ("openshift-dns", "dns-default"),
        Provider::Rke2 => ("kube-system", "rke2-coredns-rke2-coredns"),
        _ => ("kube-system", "kube-dns"),
    }
}

/// Every Service that may be asked for.
pub fn all() -> [(&'static str, &'static str); 4] {
    [dns(Provider::None), dns(Provider::Rke2), dns(Provider::OpenShift), API_SERVICE]
}

/// Whether it is one of [`all`], or the operator's own.
pub(super) fn is_needed(namespace: &str, name: &str) -> bool {
    all().contains(&(namespace, name)) || (namespace, name) == GOLDMANE_SERVICE
}

/// What nodes must know of Goldmane. Of the addresses of its Service the first is the one that every pod has a route to.
pub(super) fn goldmane(inputs: &InstallationInputs) -> Option<Collector> {
    let collector = inputs.goldmane.clone()?;
    let (namespace, name) = GOLDMANE_SERVICE;
    let service = inputs.services.get(&format!("{namespace}/{name}"));
    let first = || service.and_then(|service| service.cluster_ips.first().cloned());
    Some(Collector { address: collector.address.clone().or_else(first), ..collector })
}

/// Whether the BPF dataplane is to find the API servers by itself.
pub fn bootstraps(spec: &InstallationSpec) -> bool {
    let Some(network) = &spec.calico_network else { return false };
    network.linux_dataplane == Some(LinuxDataplane::Bpf)
        && network.bpf_network_bootstrap.is_some_and(Toggle::is_enabled)
}

/// What matters of a Service.
pub fn facts(service: &Service) -> ServiceFacts {
    let Some(spec) = &service.spec else { return ServiceFacts::default() };
    let assigned = |address: &&String| !address.is_empty() && *address != "None";
    // An API server fills in the list; a file may hold the one address only.
    let list = spec.cluster_ips.iter().flatten();
    let mut cluster_ips: Vec<_> = list.chain(&spec.cluster_ip).filter(assigned).cloned().collect();
    let mut seen = std::collections::BTreeSet::new();
    cluster_ips.retain(|address| seen.insert(address.clone()));
    let ports = spec.ports.iter().flatten();
    let https_port = ports.filter(|port| port.name.as_deref() == Some(HTTPS)).map(|port| port.port).next();
    ServiceFacts { cluster_ips, https_port }
}

/// The API servers that an EndpointSlice lists; none if it belongs to another Service.
pub fn api_servers(slice: &EndpointSlice) -> Vec<Endpoint> {
    let labels = slice.metadata.labels.as_ref();
    if labels.and_then(|labels| labels.get(SERVICE_LABEL)).is_none_or(|service| service != API_SERVICE.1) {
        return Vec::new();
    }
    let ports = slice.ports.iter().flatten();
    let Some(port) = ports.filter(|port| port.name.as_deref() == Some(HTTPS)).find_map(|port| port.port) else {
        return Vec::new();
    };
    let addresses = slice.endpoints.iter().flatten().flat_map(|endpoint| &endpoint.addresses);
    addresses.map(|host| Endpoint { host: host.clone(), port: port.to_string() }).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_service_has_its_addresses_once_and_a_headless_one_has_none() {
        let service = |spec| serde_json::from_value(json!({"metadata": {}, "spec": spec})).unwrap();
        let both = facts(&service(json!({"clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1", "fd00::1"],
            "ports": [{"name": "https", "port": 443}]})));
        assert_eq!(
            both,
            ServiceFacts { cluster_ips: vec!["10.0.0.1".into(), "fd00::1".into()], https_port: Some(443) }
        );
        assert!(facts(&service(json!({"clusterIP": "None"}))).cluster_ips.is_empty());
    }

    #[test]
    fn api_servers_are_those_of_their_own_service() {
        let slice = |service: &str| -> EndpointSlice {
            serde_json::from_value(json!({"addressType": "IPv4",
                "metadata": {"labels": {"kubernetes.io/service-name": service}},
                "endpoints": [{"addresses": ["10.1.0.1"]}, {"addresses": ["10.1.0.2"]}],
                "ports": [{"name": "https", "port": 6443}]}))
            .unwrap()
        };
        let hosts: Vec<_> = api_servers(&slice("kubernetes")).into_iter().map(|server| server.host).collect();
        assert_eq!(hosts, ["10.1.0.1", "10.1.0.2"]);
        assert!(api_servers(&slice("barn")).is_empty());
    }
}
