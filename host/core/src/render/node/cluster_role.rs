//! ClusterRoles of calico-node and of the CNI plugin that it installs.

use chimera_crds::installation::Provider;
use k8s_openapi::api::rbac::v1::{ClusterRole, PolicyRule};

use crate::names::{CNI_PLUGIN, NODE};
use crate::render::meta::protecting_cni;
use crate::render::rbac::{
    CALICO, CORE, KUBEVIRT, cluster_role, datastore, rule, rule_for, security_context_constraint,
};

/// What calico-node may do.
pub(super) fn node(provider: Provider) -> ClusterRole {
    let mut rules = datastore::kubernetes();
    rules.extend(node_on_kubernetes());
    rules.extend(configuration());
    rules.extend(node_and_status());
    rules.push(datastore::nodes());
    rules.extend(addresses());
    rules.push(datastore::virtual_machine_migrations());
    if provider == Provider::OpenShift {
        rules.push(security_context_constraint("privileged"));
    }
    let role = cluster_role(NODE, rules);
    ClusterRole { metadata: protecting_cni(role.metadata), ..role }
}

fn node_on_kubernetes() -> Vec<PolicyRule> {
    vec![
        // The node renews the token that the CNI plugin on its host uses.
        rule_for(&[CNI_PLUGIN], CORE, &["serviceaccounts/token"], &["create"]),
        rule(CORE, &["configmaps"], &["get"]),
    ]
}

fn configuration() -> Vec<PolicyRule> {
    vec![rule(
        CALICO,
        &[
            "bgpconfigurations",
            "bgpfilters",
            // Twice, as clusters have it: one entry less would be a write on each of them.
            "bgpfilters",
            "bgppeers",
            "blockaffinities",
            "clusterinformations",
            "felixconfigurations",
            "globalnetworkpolicies",
            "globalnetworksets",
            "hostendpoints",
            "hostqospolicies",
            "ipamblocks",
            "ippools",
            "ipreservations",
            "networkpolicies",
            "networksets",
            "stagedglobalnetworkpolicies",
            "stagedkubernetesnetworkpolicies",
            "stagednetworkpolicies",
            "tiers",
        ],
        &["get", "list", "watch"],
    )]
}

fn node_and_status() -> Vec<PolicyRule> {
    vec![
        rule(CALICO, &["caliconodestatuses"], &["get", "list", "watch", "update"]),
        rule(CALICO, &["caliconodestatuses/status"], &["update"]),
        datastore::former_configuration(),
        // A node that starts first in a cluster makes the defaults.
        rule(
            CALICO,
            &["clusterinformations", "felixconfigurations", "bgpconfigurations", "ippools"],
            &["create", "update"],
        ),
        datastore::create_tiers(),
    ]
}

fn addresses() -> Vec<PolicyRule> {
    vec![
        rule(
            CALICO,
            &["blockaffinities", "ipamblocks", "ipamhandles", "ipamconfigurations", "ipamconfigs"],
            &["get", "list", "create", "update", "delete"],
        ),
        datastore::watch_block_affinities(),
    ]
}

/// What the CNI plugin may do.
pub(super) fn cni_plugin() -> ClusterRole {
    let rules = vec![
        rule(CORE, &["pods", "nodes", "namespaces"], &["get"]),
        rule(CORE, &["pods/status"], &["patch"]),
        rule(
            CALICO,
            &[
                "blockaffinities",
                "ipamblocks",
                "ipamhandles",
                "ipamconfigurations",
                "ipamconfigs",
                "clusterinformations",
                "ippools",
                "ipreservations",
            ],
            &["get", "list", "create", "update", "delete"],
        ),
        rule(KUBEVIRT, &["virtualmachineinstances", "virtualmachines"], &["get"]),
    ];
    let role = cluster_role(CNI_PLUGIN, rules);
    ClusterRole { metadata: protecting_cni(role.metadata), ..role }
}
