//! Network policies in the operator's own tier, and the rules that several of them share.

use std::net::IpAddr;

use chimera_crds::installation::Provider;
use chimera_crds::projectcalico::{ApiGroup, EntityRule, NetworkPolicy, NetworkPolicySpec, Rule, ServiceMatch};
use ipnet::IpNet;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::meta;
use crate::installation::config::{Cluster, Endpoint};
use crate::names::TIER;

/// Allows traffic.
pub(crate) const ALLOW: &str = "Allow";
/// Refuses traffic.
pub(crate) const DENY: &str = "Deny";
/// Leaves traffic to the next tier.
pub(crate) const PASS: &str = "Pass";
/// Both directions, as most policies have them.
pub(crate) const BOTH: [&str; 2] = ["Ingress", "Egress"];

/// Ports that Kubernetes API servers listen on, behind their Service.
const API_SERVER_PORTS: [u16; 3] = [443, 6443, 12388];

/// A policy in the tier. `name`: without that of the tier, which goes before it.
pub(crate) fn policy(namespace: &str, name: &str, spec: NetworkPolicySpec) -> NetworkPolicy {
    let name = name_of(name);
    let mut policy = NetworkPolicy::new(ApiGroup::V3, &name, NetworkPolicySpec { tier: Some(TIER.into()), ..spec });
    policy.metadata = meta::namespaced(namespace, &name);
    policy
}

/// Name of a policy in the tier.
pub(crate) fn name_of(name: &str) -> String {
    format!("{TIER}.{name}")
}

/// A policy's directions.
pub(crate) fn types(types: [&str; 2]) -> Option<Vec<String>> {
    Some(types.map(Into::into).into())
}

/// The pods of an application of Calico's.
pub(crate) fn application(name: &str) -> String {
    format!("k8s-app == '{name}'")
}

/// Pods by namespace and label.
pub(crate) fn pods(namespace: &str, selector: impl Into<String>) -> EntityRule {
    EntityRule {
        selector: Some(selector.into()),
        namespace_selector: Some(in_namespace(namespace)),
        ..EntityRule::default()
    }
}

fn in_namespace(name: &str) -> String {
    format!("kubernetes.io/metadata.name == '{name}'")
}

/// Ports of an entity.
pub(crate) fn ports(ports: &[u16]) -> Option<Vec<IntOrString>> {
    Some(ports.iter().map(|port| IntOrString::Int((*port).into())).collect())
}

/// Any traffic, done this with.
pub(crate) fn any(action: &str) -> Rule {
    Rule { action: action.into(), ..Rule::default() }
}

/// TCP to this, allowed.
pub(crate) fn tcp_to(destination: EntityRule) -> Rule {
    protocol_to("TCP", destination)
}

fn protocol_to(protocol: &str, destination: EntityRule) -> Rule {
    let protocol = Some(IntOrString::String(protocol.into()));
    Rule { protocol, destination: Some(destination), ..any(ALLOW) }
}

/// Whatever may be a Kubernetes API server, for what comes up before Services do.
pub(crate) fn kubernetes_api_ports() -> EntityRule {
    EntityRule { ports: ports(&API_SERVER_PORTS), ..EntityRule::default() }
}

/// The Kubernetes API servers.
pub(crate) fn kubernetes_api() -> EntityRule {
    let services = ServiceMatch { name: "kubernetes".into(), namespace: Some("default".into()) };
    EntityRule { services: Some(services), ..EntityRule::default() }
}

/// The address of the API servers that the user gave pods instead of their Service's. A name is left out: stock Calico
/// has no rule for names.
pub(crate) fn to_stated_api(cluster: &Cluster) -> Option<Rule> {
    let Endpoint { host, port } = cluster.api_server.as_ref()?;
    let (address, port) = (host.parse::<IpAddr>().ok()?, port.parse().ok()?);
    let net = IpNet::from(address).to_string();
    Some(tcp_to(EntityRule { nets: Some(vec![net]), ports: ports(&[port]), ..EntityRule::default() }))
}

/// Where the pods of the cluster's DNS are on a platform: their namespace and the labels that select them.
pub(crate) fn dns(provider: Provider) -> (&'static str, &'static str) {
    match provider {
        Provider::OpenShift => ("openshift-dns", "dns.operator.openshift.io/daemonset-dns == 'default'"),
        _ => ("kube-system", "k8s-app in { 'kube-dns', 'coredns' }"),
    }
}

/// Questions to the cluster's DNS. OpenShift's pods listen on a port that is not privileged, and answer by TCP as well.
pub(crate) fn to_dns(provider: Provider) -> Vec<Rule> {
    let (namespace, selector) = dns(provider);
    let to = |port| EntityRule { ports: ports(&[port]), ..pods(namespace, selector) };
    match provider {
        Provider::OpenShift => vec![protocol_to("UDP", to(5353)), tcp_to(to(5353))],
        _ => vec![protocol_to("UDP", to(53))],
    }
}

/// Where a policy stands in the tier: before the one that denies what is left.
pub(crate) fn first() -> Option<serde_json::Number> {
    Some(1.into())
}
