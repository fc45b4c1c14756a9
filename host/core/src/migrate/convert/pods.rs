//! What pods of all three workloads have: where they run, what they may use, what they are labelled with.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Container, PodSpec, Toleration};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};

use super::report::Report;
use crate::migrate::names::LABEL;

/// What is usual for one workload.
pub(super) struct Usual {
    /// Override field of the Installation.
    field: &'static str,
    /// Whether it runs in the host's network.
    host_network: bool,
    /// Tolerations as `key effect`, with operator Exists.
    tolerations: &'static [(&'static str, &'static str)],
    /// Whether its override has fields for DNS.
    dns: bool,
}

const EVERYTHING: &[(&str, &str)] = &[("CriticalAddonsOnly", ""), ("", "NoSchedule"), ("", "NoExecute")];

/// calico-node.
pub(super) const NODE_POD: Usual =
    Usual { field: "calicoNodeDaemonSet", host_network: true, tolerations: EVERYTHING, dns: true };
/// Typha.
pub(super) const TYPHA_POD: Usual =
    Usual { field: "typhaDeployment", host_network: true, tolerations: EVERYTHING, dns: false };
/// The controllers.
pub(super) const KUBE_CONTROLLERS_POD: Usual = Usual {
    field: "calicoKubeControllersDeployment",
    host_network: false,
    tolerations: &[
        ("CriticalAddonsOnly", ""),
        ("node-role.kubernetes.io/master", "NoSchedule"),
        ("node-role.kubernetes.io/control-plane", "NoSchedule"),
    ],
    dns: false,
};

/// Annotations that tools leave behind or that mean nothing any more.
const FOREIGN: [&str; 6] = [
    "kubectl.kubernetes.io/",
    "scheduler.alpha.kubernetes.io/",
    "prometheus.io/",
    "cluster-autoscaler.kubernetes.io/",
    "deprecated.daemonset.template.generation",
    "deployment.kubernetes.io/",
];

/// Converts what is the same for all.
pub(super) fn convert(pod: &PodSpec, usual: &Usual, report: &mut Report) {
    placement(pod, usual, report);
    let host_network = pod.host_network.unwrap_or_default();
    if host_network != usual.host_network {
        let what = format!("with the operator it is {}, and no field says otherwise", usual.host_network);
        report.blocked("hostNetwork", host_network, what);
    }
    if usual.dns {
        dns(pod, usual, report);
    }
    let rest = [
        ("runtimeClassName", pod.runtime_class_name.is_some()),
        ("hostPID", pod.host_pid == Some(true)),
        ("hostIPC", pod.host_ipc == Some(true)),
        ("hostAliases", pod.host_aliases.as_ref().is_some_and(|aliases| !aliases.is_empty())),
        ("schedulerName", pod.scheduler_name.as_deref().is_some_and(|name| name != "default-scheduler")),
    ];
    for (field, _) in rest.into_iter().filter(|(_, set)| *set) {
        report.blocked(field, "set", "no field of the Installation holds it; take it out");
    }
}

fn path(usual: &Usual, name: &str) -> String {
    format!("{}/spec/template/spec/{name}", usual.field)
}

fn placement(pod: &PodSpec, usual: &Usual, report: &mut Report) {
    let selector = pod.node_selector.iter().flatten();
    let selector: BTreeMap<_, _> = selector
        .filter(|(name, _)| ![LABEL, "kubernetes.io/os", "beta.kubernetes.io/os"].contains(&name.as_str()))
        .collect();
    if !selector.is_empty() {
        report.carried("nodeSelector", json!(selector), &path(usual, "nodeSelector"), json!(selector));
    }
    let affinity = json!(pod.affinity);
    if affinity.as_object().is_some_and(|affinity| !affinity.is_empty()) {
        report.carried("affinity", &affinity, &path(usual, "affinity"), affinity.clone());
    }
    let tolerations = pod.tolerations.as_deref().unwrap_or_default();
    match is_usual(tolerations, usual) {
        true => report.same("tolerations", format!("{} tolerations", tolerations.len())),
        false => {
            let value = json!(tolerations);
            report.carried("tolerations", &value, &path(usual, "tolerations"), value.clone());
        }
    }
}

/// All that are usual and no other, in any order.
fn is_usual(tolerations: &[Toleration], usual: &Usual) -> bool {
    let plain = |toleration: &Toleration| {
        let empty = toleration.value.as_deref().is_none_or(str::is_empty) && toleration.toleration_seconds.is_none();
        let key = toleration.key.clone().unwrap_or_default();
        let effect = toleration.effect.clone().unwrap_or_default();
        empty.then_some((key, effect))
    };
    let plain: Option<Vec<_>> = tolerations.iter().map(plain).collect();
    let Some(plain) = plain else { return false };
    let has = |(key, effect): &(&str, &str)| plain.iter().any(|(k, e)| k == key && e == effect);
    let known = |(key, effect): &(String, String)| usual.tolerations.contains(&(key.as_str(), effect.as_str()));
    usual.tolerations.iter().all(has) && plain.iter().all(known)
}

fn dns(pod: &PodSpec, usual: &Usual, report: &mut Report) {
    // What Kubernetes fills in by itself is nobody's choice; for a pod in the host's network it means `Default`.
    if let Some(policy) = pod.dns_policy.as_deref().filter(|policy| !["ClusterFirst", "Default"].contains(policy)) {
        report.carried("dnsPolicy", policy, &path(usual, "dnsPolicy"), json!(policy));
    }
    if let Some(config) = &pod.dns_config {
        report.carried("dnsConfig", json!(config), &path(usual, "dnsConfig"), json!(config));
    }
}

/// Secrets for pulling images; validation says if they are not where the operator looks for them.
pub(super) fn image_pull_secrets(pod: &PodSpec, report: &mut Report) {
    if let Some(secrets) = pod.image_pull_secrets.as_ref().filter(|secrets| !secrets.is_empty()) {
        report.carried("imagePullSecrets", json!(secrets), "imagePullSecrets", json!(secrets));
    }
}

/// Requests and limits of containers that the operator's workload has too.
pub(super) fn resources(pod: &PodSpec, field: &str, report: &mut Report) {
    let of = |containers: &mut dyn Iterator<Item = &Container>, list: &str, report: &mut Report| {
        let mut overrides = Vec::new();
        for container in containers.filter(|container| container.name != "upgrade-ipam") {
            let resources = json!(container.resources);
            if resources.as_object().is_some_and(|resources| !resources.is_empty()) {
                let at = format!("{list}[{}].resources", container.name);
                let path = format!("{field}/spec/template/spec/{list}");
                overrides.push(json!({"name": container.name, "resources": resources}));
                report.carried(&at, &resources, &path, json!(overrides));
            }
        }
    };
    of(&mut pod.containers.iter(), "containers", report);
    of(&mut pod.init_containers.iter().flatten(), "initContainers", report);
}

/// What a container runs is the image's choice.
pub(super) fn command(container: &Container, report: &mut Report) {
    for (name, words) in [("command", &container.command), ("args", &container.args)] {
        if let Some(words) = words.as_ref().filter(|words| !words.is_empty()) {
            let field = format!("containers[{}].{name}", container.name);
            report.blocked(&field, words.join(" "), "the operator starts what it is meant to run; take it out");
        }
    }
}

/// Labels and annotations of pods that are not the manifest's own.
pub(super) fn metadata(metadata: Option<&ObjectMeta>, field: &str, report: &mut Report) {
    let Some(metadata) = metadata else { return };
    let all = [("labels", &metadata.labels), ("annotations", &metadata.annotations)];
    for (name, map) in all {
        let own = map.iter().flatten();
        let own = own.filter(|(key, _)| *key != "k8s-app" && !FOREIGN.iter().any(|foreign| key.starts_with(foreign)));
        let own: BTreeMap<_, _> = own.collect();
        if !own.is_empty() {
            let (value, path): (Value, _) = (json!(own), format!("{field}/spec/template/metadata/{name}"));
            report.carried(&format!("template.metadata.{name}"), &value, &path, value.clone());
        }
    }
}
