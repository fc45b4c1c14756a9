//! What may be read through the tunnel: workloads and policies. Nobody is impersonated.

use chimera_crds::installation::Provider;
use k8s_openapi::api::rbac::v1::{ClusterRole, PolicyRule};

use crate::names::GUARDIAN_ROLE;
use crate::render::rbac::{CORE, cluster_role, rule, security_context_constraint};

const READ: &[&str] = &["get", "list", "watch"];

/// The ClusterRole.
pub(super) fn guardian(provider: Provider) -> ClusterRole {
    let mut rules = vec![
        rule(CORE, &["namespaces", "services", "pods"], READ),
        rule(&["apps"], &["deployments", "replicasets", "statefulsets", "daemonsets"], READ),
        rule(&["networking.k8s.io"], &["networkpolicies"], READ),
        policies(),
    ];
    if provider == Provider::OpenShift {
        rules.push(security_context_constraint("nonroot-v2"));
    }
    cluster_role(GUARDIAN_ROLE, rules)
}

fn policies() -> PolicyRule {
    let resources = [
        "clusterinformations",
        "tiers",
        "stagednetworkpolicies",
        "tier.stagednetworkpolicies",
        "stagedglobalnetworkpolicies",
        "tier.stagedglobalnetworkpolicies",
        "stagedkubernetesnetworkpolicies",
        "tier.stagedkubernetesnetworkpolicies",
        "networkpolicies",
        "tier.networkpolicies",
        "globalnetworkpolicies",
        "tier.globalnetworkpolicies",
        "globalnetworksets",
        "networksets",
    ];
    rule(&["projectcalico.org"], &resources, READ)
}
