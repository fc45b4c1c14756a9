//! Facts of the cluster, worked out from what was read.

use std::collections::BTreeMap;

use chimera_crds::installation::{InstallationSpec, Provider};

use super::config::{Bootstrap, Cluster, Endpoint};
use super::inputs::{InstallationInputs, NodeFacts};
use super::services;
use crate::codes;
use crate::message::Message;

const OS_LABEL: &str = "kubernetes.io/os";
const CONTROL_PLANE_LABEL: &str = "node-role.kubernetes.io/control-plane";

/// Facts that validation hands on.
pub(super) fn facts(
    inputs: &InstallationInputs,
    spec: &InstallationSpec,
    namespace: &str,
    errors: &mut Vec<Message>,
) -> Cluster {
    let provider = spec.kubernetes_provider.unwrap_or_default();
    let endpoint = inputs.config_maps.services_endpoint.as_ref();
    let linux_nodes = count(&inputs.nodes, is_linux);
    Cluster {
        domain: inputs.cluster_domain.clone(),
        provider,
        api_group: inputs.api_group,
        linux_nodes,
        windows_nodes: count(&inputs.nodes, |node| os(node) == Some("windows")),
        control_plane_nodes: count(&inputs.nodes, |node| node.labels.contains_key(CONTROL_PLANE_LABEL)),
        typha_replicas: typha_replicas(linux_nodes),
        operator_namespace: namespace.to_owned(),
        api_server: endpoint.and_then(|data| api_server(data, namespace, errors)),
        bootstrap: services::bootstraps(spec).then(|| bootstrap(inputs, errors)).flatten(),
    }
}

/// From the Service in front of the API servers and its EndpointSlices, which must both say something.
fn bootstrap(inputs: &InstallationInputs, errors: &mut Vec<Message>) -> Option<Bootstrap> {
    let (namespace, name) = services::API_SERVICE;
    let label = format!("{namespace}/{name}");
    let service = inputs.services.get(&label).cloned().unwrap_or_default();
    let endpoint = |port: i32| {
        let hosts = service.cluster_ips.iter();
        hosts.map(|host| Endpoint { host: host.clone(), port: port.to_string() }).collect::<Vec<_>>()
    };
    let service = service.https_port.map(endpoint).unwrap_or_default();
    let mut missing = |what: String| {
        let message = Message::new(&codes::MISSING_REFERENCE, what).on("Installation default");
        errors.push(message.field("spec.calicoNetwork.bpfNetworkBootstrap"));
    };
    if service.is_empty() {
        missing(format!("Service {label} has no cluster IP with a port named https"));
    } else if inputs.api_servers.is_empty() {
        missing(format!("the EndpointSlices of Service {label} list no API server"));
    } else {
        return Some(Bootstrap { service, api_servers: inputs.api_servers.clone() });
    }
    None
}

/// How many replicas of Typha a number of Linux nodes needs: a spare one as soon as there is room for it, three for what
/// is bigger, one more for each 200 nodes, never more than 20.
pub fn typha_replicas(linux_nodes: u32) -> i32 {
    let replicas = match linux_nodes {
        0..=2 => 1,
        3..=4 => 2,
        nodes => (nodes / 200 + 2).clamp(3, 20),
    };
    i32::try_from(replicas).unwrap_or(20)
}

/// How many Linux nodes there are.
pub(super) fn linux_nodes(inputs: &InstallationInputs) -> u32 {
    count(&inputs.nodes, is_linux)
}

/// The platform by the signs that it leaves in a cluster; none if there are none.
pub(super) fn detected_provider(inputs: &InstallationInputs) -> Option<Provider> {
    let group = |name: &str| inputs.api_groups.contains(name);
    let label = |prefix: &str| inputs.nodes.iter().any(|node| node.labels.keys().any(|key| key.starts_with(prefix)));
    let rke2 = ("node.kubernetes.io/instance-type", "rke2");
    let is_rke2 = |node: &NodeFacts| node.labels.get(rke2.0).is_some_and(|value| value == rke2.1);
    let signs = [
        (group("config.openshift.io"), Provider::OpenShift),
        (group("networking.gke.io") || label("cloud.google.com/gke-"), Provider::Gke),
        (label("eks.amazonaws.com/"), Provider::Eks),
        (label("kubernetes.azure.com/"), Provider::Aks),
        (label("com.docker.ucp."), Provider::DockerEnterprise),
        (inputs.nodes.iter().any(is_rke2), Provider::Rke2),
    ];
    signs.into_iter().find_map(|(there, provider)| there.then_some(provider))
}

/// The name of a platform as it stands in the resource.
pub(super) fn provider_name(provider: Provider) -> String {
    serde_json::to_value(provider).ok().and_then(|value| value.as_str().map(Into::into)).unwrap_or_default()
}

fn count(nodes: &[NodeFacts], matches: impl Fn(&NodeFacts) -> bool) -> u32 {
    u32::try_from(nodes.iter().filter(|node| matches(node)).count()).unwrap_or(u32::MAX)
}

fn os(node: &NodeFacts) -> Option<&str> {
    node.labels.get(OS_LABEL).map(String::as_str)
}

/// A node without the label has not been labelled by its kubelet yet; Windows nodes are rare enough to call it Linux.
fn is_linux(node: &NodeFacts) -> bool {
    os(node).is_none_or(|os| os == "linux")
}

/// The address in the ConfigMap, which has both parts or is an error.
fn api_server(data: &BTreeMap<String, String>, namespace: &str, errors: &mut Vec<Message>) -> Option<Endpoint> {
    let mut part = |name: &str| {
        let value = data.get(name).map(|value| value.trim()).filter(|value| !value.is_empty());
        if value.is_none() {
            let message = Message::new(&codes::INVALID_CONFIGURATION, format!("it needs {name}"));
            let object = format!("ConfigMap {namespace}/kubernetes-services-endpoint");
            errors.push(message.on(object).field(format!("data.{name}")));
        }
        value
    };
    let (host, port) = (part("KUBERNETES_SERVICE_HOST"), part("KUBERNETES_SERVICE_PORT"));
    Some(Endpoint { host: host?.trim_start_matches('[').trim_end_matches(']').into(), port: port?.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typha_grows_with_the_number_of_nodes() {
        let cases =
            [(0, 1), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (200, 3), (399, 3), (400, 4), (3600, 20), (90_000, 20)];
        for (nodes, replicas) in cases {
            assert_eq!(typha_replicas(nodes), replicas, "{nodes} nodes");
        }
    }
}
