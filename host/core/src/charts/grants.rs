//! What the operator's ServiceAccount needs to apply a bundle, and what is no part of the rights that it always has.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Bundle, Charts};
use crate::names::{OPERATOR_SERVICE_ACCOUNT, TIGERA_GATEWAY};
use crate::object::{Object, ObjectKey};

const RBAC: &str = "rbac.authorization.k8s.io";

/// What the operator may write in a namespace that it binds its usual role in.
const HELD: [&str; 8] =
    ["ConfigMap", "Secret", "Service", "ServiceAccount", "DaemonSet", "Deployment", "Role", "RoleBinding"];

/// Where each kind is served; a chart that has others needs rights that its administrator works out.
const PLURALS: [(&str, &str, &str); 27] = [
    ("", "ConfigMap", "configmaps"),
    ("", "Namespace", "namespaces"),
    ("", "ResourceQuota", "resourcequotas"),
    ("", "Secret", "secrets"),
    ("", "Service", "services"),
    ("", "ServiceAccount", "serviceaccounts"),
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy", "validatingadmissionpolicies"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings"),
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations"),
    ("apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions"),
    ("apps", "DaemonSet", "daemonsets"),
    ("apps", "Deployment", "deployments"),
    ("apps", "StatefulSet", "statefulsets"),
    ("autoscaling", "HorizontalPodAutoscaler", "horizontalpodautoscalers"),
    ("batch", "CronJob", "cronjobs"),
    ("batch", "Job", "jobs"),
    ("gateway.envoyproxy.io", "EnvoyProxy", "envoyproxies"),
    ("gateway.networking.k8s.io", "GatewayClass", "gatewayclasses"),
    ("k8s.cni.cncf.io", "NetworkAttachmentDefinition", "network-attachment-definitions"),
    ("networking.k8s.io", "NetworkPolicy", "networkpolicies"),
    ("policy", "PodDisruptionBudget", "poddisruptionbudgets"),
    (RBAC, "ClusterRole", "clusterroles"),
    (RBAC, "ClusterRoleBinding", "clusterrolebindings"),
    (RBAC, "Role", "roles"),
    (RBAC, "RoleBinding", "rolebindings"),
    ("scheduling.k8s.io", "PriorityClass", "priorityclasses"),
];

impl Charts {
    /// Name of the ClusterRole of what the operator needs for it in the whole cluster, and of its binding.
    pub fn role(self) -> &'static str {
        match self {
            Self::Gateway => "tigera-operator-gateway-api",
            Self::Istio => "tigera-operator-istio",
        }
    }

    /// Name of the ClusterRole of what the operator needs in the namespace that the charts go to; it binds that itself.
    pub fn namespace_role(self) -> &'static str {
        match self {
            Self::Gateway => "tigera-operator-gateway-api-namespace",
            Self::Istio => "tigera-operator-istio-namespace",
        }
    }

    /// Kinds that are watched for it: group and plural.
    fn watched(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Gateway => &[
                ("apiextensions.k8s.io", "customresourcedefinitions"),
                ("gateway.envoyproxy.io", "envoyproxies"),
                ("gateway.networking.k8s.io", "gatewayclasses"),
            ],
            Self::Istio => &[],
        }
    }

    /// Asked for where owner references are checked, as on OpenShift.
    fn finalizers(self) -> &'static str {
        match self {
            Self::Gateway => "gatewayapis/finalizers",
            Self::Istio => "istios/finalizers",
        }
    }
}

/// Two ClusterRoles with those rights, and the binding of the first to the operator in a namespace.
pub fn grants(charts: Charts, bundle: &Bundle, namespace: &str) -> [Value; 3] {
    let beside = ObjectKey::cluster("v1", "Namespace", TIGERA_GATEWAY);
    let beside = (charts == Charts::Gateway).then_some(&beside);
    let keys = bundle.definitions.iter().chain(&bundle.objects).map(Object::key).chain(beside);
    let (inside, outside): (Vec<_>, Vec<_>) = keys.partition(|key| key.namespace.is_some());
    let mut rules = writes(outside.into_iter());
    for (group, plural) in charts.watched() {
        rules.push(json!({"apiGroups": [group], "resources": [plural], "verbs": ["get", "list", "watch"]}));
    }
    if charts == Charts::Gateway {
        // How many there are and what they are called is up to the resource.
        rules.push(json!({"apiGroups": ["gateway.networking.k8s.io"], "resources": ["gatewayclasses"],
            "verbs": ["create", "update", "delete"]}));
    }
    rules.push(json!({"apiGroups": ["operator.tigera.io"], "resources": [charts.finalizers()], "verbs": ["update"]}));
    rules.push(json!({"apiGroups": [RBAC], "resources": ["clusterroles"], "resourceNames": [charts.namespace_role()],
        "verbs": ["bind"]}));
    rules.push(json!({"apiGroups": [RBAC], "resources": ["rolebindings"], "resourceNames": [charts.role()],
        "verbs": ["get", "update", "delete"]}));
    // Kubernetes lets nobody hand on more than they hold.
    let roles = bundle.objects.iter().filter(|object| object.key().group() == RBAC);
    rules.extend(roles.filter_map(|role| role.fields().get("rules")?.as_array().cloned()).flatten());
    [
        role(charts.role(), rules),
        binding(charts.role(), namespace),
        role(charts.namespace_role(), namespaced(charts, inside)),
    ]
}

fn namespaced(charts: Charts, keys: Vec<&ObjectKey>) -> Vec<Value> {
    let mut rules = writes(keys.into_iter().filter(|key| !HELD.contains(&key.kind.as_str())));
    if charts == Charts::Gateway {
        rules.push(json!({"apiGroups": ["gateway.envoyproxy.io"], "resources": ["envoyproxies"],
            "verbs": ["create", "update", "delete"]}));
    }
    rules
}

fn role(name: &str, rules: Vec<Value>) -> Value {
    let mut unique = Vec::new();
    for rule in rules {
        if !unique.contains(&rule) {
            unique.push(rule);
        }
    }
    json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": name},
        "rules": unique})
}

fn binding(name: &str, namespace: &str) -> Value {
    json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": name},
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": OPERATOR_SERVICE_ACCOUNT, "namespace": namespace}]})
}

/// Only what cannot be changed in some way is deleted and made again; all else is deleted by Kubernetes, with its owner.
fn changes(plural: &str) -> &'static [&'static str] {
    match plural {
        "clusterrolebindings" | "jobs" | "rolebindings" | "secrets" | "services" => &["get", "update", "delete"],
        _ => &["get", "update"],
    }
}

/// Creating goes by kind, since a request to create has no name yet; all else goes by name.
fn writes<'a>(keys: impl Iterator<Item = &'a ObjectKey>) -> Vec<Value> {
    let mut names: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for key in keys {
        let found = PLURALS.iter().find(|(group, kind, _)| *group == key.group() && *kind == key.kind);
        if let Some((group, _, plural)) = found {
            names.entry((group, plural)).or_default().insert(&key.name);
        }
    }
    let rules = names.into_iter().flat_map(|((group, plural), names)| {
        [
            json!({"apiGroups": [group], "resources": [plural], "verbs": ["create"]}),
            json!({"apiGroups": [group], "resources": [plural], "resourceNames": names, "verbs": changes(plural)}),
        ]
    });
    rules.collect()
}
