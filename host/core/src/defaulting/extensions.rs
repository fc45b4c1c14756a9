//! Defaults of kinds that configure Kubernetes itself: RBAC, admission, storage, networking, aggregation.

use serde_json::{Map, Value};

use super::fill::{each, made, set, with};

const RBAC: &str = "rbac.authorization.k8s.io";

pub(super) fn defaults(group: &str, kind: &str, fields: &mut Map<String, Value>) {
    match (group, kind) {
        (RBAC, "RoleBinding" | "ClusterRoleBinding") => binding(fields),
        ("admissionregistration.k8s.io", kind) => admission(kind, fields),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => made(fields, "spec", definition),
        ("apiregistration.k8s.io", "APIService") => {
            with(fields, "spec", |spec| with(spec, "service", |service| set(service, "port", 443)));
        }
        ("networking.k8s.io", "NetworkPolicy") => made(fields, "spec", network_policy),
        ("scheduling.k8s.io", "PriorityClass") => set(fields, "preemptionPolicy", "PreemptLowerPriority"),
        ("storage.k8s.io", "CSIDriver") => made(fields, "spec", csi_driver),
        ("storage.k8s.io", "StorageClass") => {
            set(fields, "reclaimPolicy", "Delete");
            set(fields, "volumeBindingMode", "Immediate");
        }
        _ => {}
    }
}

fn binding(fields: &mut Map<String, Value>) {
    with(fields, "roleRef", |role| set(role, "apiGroup", RBAC));
    each(fields, "subjects", |subject| {
        if matches!(subject.get("kind").and_then(Value::as_str), Some("User" | "Group")) {
            set(subject, "apiGroup", RBAC);
        }
    });
}

fn admission(kind: &str, fields: &mut Map<String, Value>) {
    match kind {
        "ValidatingWebhookConfiguration" => each(fields, "webhooks", webhook),
        "MutatingWebhookConfiguration" => each(fields, "webhooks", |hook| {
            set(hook, "reinvocationPolicy", "Never");
            webhook(hook);
        }),
        "ValidatingAdmissionPolicy" | "MutatingAdmissionPolicy" => made(fields, "spec", |spec| {
            set(spec, "failurePolicy", "Fail");
            with(spec, "matchConstraints", match_resources);
        }),
        "ValidatingAdmissionPolicyBinding" | "MutatingAdmissionPolicyBinding" => with(fields, "spec", |spec| {
            with(spec, "matchResources", match_resources);
        }),
        _ => {}
    }
}

fn webhook(hook: &mut Map<String, Value>) {
    set(hook, "failurePolicy", "Fail");
    set(hook, "timeoutSeconds", 10);
    match_resources(hook);
    with(hook, "clientConfig", |config| with(config, "service", |service| set(service, "port", 443)));
    each(hook, "rules", |rule| set(rule, "scope", "*"));
}

fn match_resources(resources: &mut Map<String, Value>) {
    set(resources, "matchPolicy", "Equivalent");
    made(resources, "namespaceSelector", |_| {});
    made(resources, "objectSelector", |_| {});
    for rules in ["resourceRules", "excludeResourceRules"] {
        each(resources, rules, |rule| set(rule, "scope", "*"));
    }
}

fn definition(spec: &mut Map<String, Value>) {
    with(spec, "names", names);
    made(spec, "conversion", |conversion| {
        set(conversion, "strategy", "None");
        with(conversion, "webhook", |hook| {
            with(hook, "clientConfig", |config| with(config, "service", |service| set(service, "port", 443)));
        });
    });
}

fn names(names: &mut Map<String, Value>) {
    let Some(kind) = names.get("kind").and_then(Value::as_str).map(str::to_owned) else { return };
    set(names, "singular", kind.to_lowercase());
    set(names, "listKind", format!("{kind}List"));
}

fn network_policy(spec: &mut Map<String, Value>) {
    made(spec, "podSelector", |_| {});
    let mut types = vec!["Ingress"];
    if spec.contains_key("egress") {
        types.push("Egress");
    }
    set(spec, "policyTypes", types);
    for rules in ["ingress", "egress"] {
        each(spec, rules, |rule| each(rule, "ports", |port| set(port, "protocol", "TCP")));
    }
}

fn csi_driver(spec: &mut Map<String, Value>) {
    set(spec, "attachRequired", true);
    set(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
    set(spec, "volumeLifecycleModes", vec!["Persistent"]);
    for name in ["podInfoOnMount", "storageCapacity", "requiresRepublish", "seLinuxMount"] {
        set(spec, name, false);
    }
}
