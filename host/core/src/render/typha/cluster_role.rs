//! What Typha may do: read what nodes would read themselves.

use chimera_crds::installation::Provider;
use k8s_openapi::api::rbac::v1::{ClusterRole, PolicyRule};

use crate::names::TYPHA;
use crate::render::rbac::{CALICO, cluster_role, datastore, rule, security_context_constraint};

/// The ClusterRole.
pub(super) fn typha(provider: Provider) -> ClusterRole {
    let mut rules = datastore::kubernetes();
    rules.extend(configuration());
    rules.push(datastore::nodes());
    rules.extend(addresses());
    rules.push(datastore::virtual_machine_migrations());
    if provider == Provider::OpenShift {
        rules.push(security_context_constraint("nonroot-v2"));
    }
    cluster_role(TYPHA, rules)
}

fn configuration() -> Vec<PolicyRule> {
    let served_to_nodes = [
        "bgpconfigurations",
        "bgppeers",
        "bgpfilters",
        "blockaffinities",
        "caliconodestatuses",
        "clusterinformations",
        "felixconfigurations",
        "globalnetworkpolicies",
        "stagedglobalnetworkpolicies",
        "networkpolicies",
        "stagedkubernetesnetworkpolicies",
        "stagednetworkpolicies",
        "globalnetworksets",
        "hostendpoints",
        "hostqospolicies",
        "ipamblocks",
        "ippools",
        "ipreservations",
        "networksets",
        "tiers",
    ];
    vec![
        rule(CALICO, &served_to_nodes, &["get", "list", "watch"]),
        datastore::former_configuration(),
        rule(CALICO, &["clusterinformations", "felixconfigurations", "ippools"], &["create", "update"]),
        datastore::create_tiers(),
    ]
}

fn addresses() -> Vec<PolicyRule> {
    let all = &["get", "list", "create", "update", "delete"];
    vec![
        rule(CALICO, &["blockaffinities", "ipamblocks", "ipamhandles"], all),
        rule(CALICO, &["ipamconfigurations"], &["get"]),
        datastore::watch_block_affinities(),
    ]
}
