//! What calico-node and Typha may both do with the Kubernetes API: Typha reads it on behalf of all nodes, and a node
//! reads it itself where it must.

use k8s_openapi::api::rbac::v1::PolicyRule;

use super::{CALICO, CORE, KUBEVIRT, rule};

/// Kubernetes' resources that policies and Services are worked out from.
pub(crate) fn kubernetes() -> Vec<PolicyRule> {
    vec![
        rule(&["discovery.k8s.io"], &["endpointslices"], &["list", "watch"]),
        rule(CORE, &["pods", "nodes", "namespaces"], &["get"]),
        rule(CORE, &["endpoints", "services"], &["watch", "list", "get"]),
        rule(CORE, &["nodes/status"], &["patch", "update"]),
        rule(&["networking.k8s.io"], &["networkpolicies"], &["watch", "list"]),
        rule(
            &["policy.networking.k8s.io"],
            &["clusternetworkpolicies", "adminnetworkpolicies", "baselineadminnetworkpolicies"],
            &["watch", "list"],
        ),
        rule(CORE, &["pods", "namespaces", "serviceaccounts"], &["watch", "list"]),
        // Annotations of pods carry their addresses.
        rule(CORE, &["pods/status"], &["patch"]),
    ]
}

/// Configuration that Calico kept under older names and still converts.
pub(crate) fn former_configuration() -> PolicyRule {
    rule(CALICO, &["globalbgpconfigs", "globalfelixconfigs"], &["get", "list", "watch"])
}

/// Tiers that must exist before a policy can.
pub(crate) fn create_tiers() -> PolicyRule {
    rule(CALICO, &["tiers"], &["create"])
}

/// Nodes, which are endpoints of their own.
pub(crate) fn nodes() -> PolicyRule {
    rule(CORE, &["nodes"], &["get", "list", "watch"])
}

/// Routes to blocks of addresses follow the affinity of nodes.
pub(crate) fn watch_block_affinities() -> PolicyRule {
    rule(CALICO, &["blockaffinities"], &["watch"])
}

/// Virtual machines that move to another node with their address.
pub(crate) fn virtual_machine_migrations() -> PolicyRule {
    rule(KUBEVIRT, &["virtualmachineinstancemigrations"], &["get", "list", "watch"])
}
