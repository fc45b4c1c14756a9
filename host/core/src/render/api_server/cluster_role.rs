//! What the API server may do, and what others may do through it.

use chimera_crds::installation::Provider;
use k8s_openapi::api::rbac::v1::{ClusterRole, PolicyRule};

use crate::render::rbac::{CALICO, CORE, cluster_role, rule, rule_for, security_context_constraint};

/// The resources behind the API.
pub(super) const CRDS: &str = "calico-crds";
/// Who is asked whether a request is allowed.
pub(super) const EXTENSION_AUTH: &str = "calico-extension-apiserver-auth-access";
/// What everybody may do with policies as far as tiers let them.
pub(super) const PASSTHROUGH: &str = "calico-tiered-policy-passthrough";
/// Reading tiers.
pub(super) const TIER_GETTER: &str = "calico-tier-getter";
/// Reading which webhooks there are.
pub(super) const WEBHOOK_READER: &str = "calico-webhook-reader";

const READ: &[&str] = &["get", "list", "watch"];
/// Calico's own API.
const API: &[&str] = &["projectcalico.org"];
const ADMISSION: &[&str] = &["admissionregistration.k8s.io"];

/// Those that both ways to serve the resources need.
pub(super) fn common(provider: Provider) -> [ClusterRole; 3] {
    [crds(provider), tier_getter(), webhook_reader()]
}

fn crds(provider: Provider) -> ClusterRole {
    let mut rules = vec![
        rule(CORE, &["nodes", "namespaces", "pods", "serviceaccounts"], READ),
        rule(&["networking.k8s.io"], &["networkpolicies"], READ),
        rule(
            &["policy.networking.k8s.io"],
            &["clusternetworkpolicies", "adminnetworkpolicies", "baselineadminnetworkpolicies"],
            READ,
        ),
        stored(),
        rule(ADMISSION, &["validatingadmissionpolicies", "validatingadmissionpolicybindings"], READ),
    ];
    if provider == Provider::OpenShift {
        rules.push(security_context_constraint("nonroot-v2"));
    }
    cluster_role(CRDS, rules)
}

fn stored() -> PolicyRule {
    let resources = [
        "globalnetworkpolicies",
        "networkpolicies",
        "stagedkubernetesnetworkpolicies",
        "stagednetworkpolicies",
        "stagedglobalnetworkpolicies",
        "caliconodestatuses",
        "clusterinformations",
        "hostendpoints",
        "globalnetworksets",
        "networksets",
        "bgpconfigurations",
        "bgpfilters",
        "bgppeers",
        "felixconfigurations",
        "kubecontrollersconfigurations",
        "ippools",
        "ipreservations",
        "ipamblocks",
        "blockaffinities",
        "ipamconfigs",
        "tiers",
    ];
    rule(CALICO, &resources, &["get", "list", "watch", "create", "update", "delete", "patch"])
}

/// Kubernetes' own controllers, which take policies away with their namespace, must get past the check of tiers.
fn tier_getter() -> ClusterRole {
    cluster_role(TIER_GETTER, vec![rule(API, &["tiers"], &["get"])])
}

fn webhook_reader() -> ClusterRole {
    let resources = ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"];
    cluster_role(WEBHOOK_READER, vec![rule(ADMISSION, &resources, READ)])
}

/// Who asks is found out, and whether it may.
pub(super) fn extension_auth() -> ClusterRole {
    let rules = vec![
        rule_for(&["extension-apiserver-authentication"], CORE, &["configmaps"], &["list", "watch"]),
        rule(&["rbac.authorization.k8s.io"], &["clusterroles", "clusterrolebindings", "roles", "rolebindings"], READ),
    ];
    cluster_role(EXTENSION_AUTH, rules)
}

/// The API server decides by tier, so Kubernetes lets everybody through to it.
pub(super) fn passthrough() -> ClusterRole {
    let verbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];
    cluster_role(PASSTHROUGH, vec![rule(API, &["networkpolicies", "globalnetworkpolicies"], &verbs)])
}
