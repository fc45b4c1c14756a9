//! What kube-controllers may do.

use chimera_crds::installation::Provider;
use k8s_openapi::api::rbac::v1::{ClusterRole, PolicyRule};

use crate::names::{KUBE_CONTROLLERS, NODE};
use crate::render::rbac::{CALICO, CORE, KUBEVIRT, cluster_role, rule, rule_for, security_context_constraint};

/// The ClusterRole.
pub(super) fn kube_controllers(provider: Provider) -> ClusterRole {
    let mut rules = nodes_and_services();
    rules.extend(addresses());
    rules.extend(configuration());
    rules.extend(policies());
    rules.extend(migrations());
    if provider == Provider::OpenShift {
        rules.push(security_context_constraint("nonroot-v2"));
    }
    cluster_role(KUBE_CONTROLLERS, rules)
}

fn nodes_and_services() -> Vec<PolicyRule> {
    vec![
        rule(CORE, &["nodes", "endpoints", "services"], &["watch", "list", "get"]),
        // Addresses of pods that are gone are given back.
        rule(CORE, &["pods"], &["get", "list", "watch"]),
        // Addresses for Services of type LoadBalancer.
        rule(CORE, &["services", "services/status"], &["get", "list", "update", "watch"]),
    ]
}

fn addresses() -> Vec<PolicyRule> {
    vec![
        rule(CALICO, &["ipreservations"], &["list", "watch"]),
        rule(
            CALICO,
            &["blockaffinities", "ipamblocks", "ipamhandles", "networksets", "ipamconfigurations", "ipamconfigs"],
            &["get", "list", "create", "update", "delete", "watch"],
        ),
        rule(CALICO, &["ippools", "ippools/status"], &["list", "watch", "update"]),
    ]
}

fn configuration() -> Vec<PolicyRule> {
    vec![
        rule(CALICO, &["clusterinformations"], &["get", "create", "update", "list", "watch"]),
        rule(CALICO, &["hostendpoints"], &["get", "list", "create", "update", "delete", "watch"]),
        rule(
            CALICO,
            &["kubecontrollersconfigurations", "kubecontrollersconfigurations/status"],
            &["get", "create", "list", "update", "watch"],
        ),
        rule(CALICO, &["tiers"], &["create", "update", "patch", "get", "list", "watch"]),
        rule(CORE, &["namespaces"], &["get", "list", "watch"]),
        rule_for(&[NODE], &["apps"], &["daemonsets"], &["get"]),
    ]
}

fn policies() -> Vec<PolicyRule> {
    vec![rule(
        CALICO,
        &["networkpolicies", "globalnetworkpolicies", "stagednetworkpolicies", "stagedglobalnetworkpolicies"],
        &["get", "list", "watch", "create", "update", "delete"],
    )]
}

fn migrations() -> Vec<PolicyRule> {
    vec![
        rule(KUBEVIRT, &["virtualmachineinstances", "virtualmachines"], &["get", "list", "watch"]),
        rule(
            &["migration.projectcalico.org"],
            &["datastoremigrations", "datastoremigrations/status"],
            &["get", "list", "watch", "create", "update", "patch"],
        ),
        rule(&["apiextensions.k8s.io"], &["customresourcedefinitions"], &["get", "list", "watch"]),
    ]
}
