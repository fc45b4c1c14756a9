//! What the webhooks may do: find out whether whoever writes a policy may use its tier.

use chimera_crds::installation::Provider;
use k8s_openapi::api::rbac::v1::ClusterRole;

use crate::names::WEBHOOKS;
use crate::render::rbac::{cluster_role, rule, security_context_constraint};

/// The ClusterRole.
pub(super) fn webhooks(provider: Provider) -> ClusterRole {
    let mut rules = vec![
        rule(&["authorization.k8s.io"], &["subjectaccessreviews"], &["create"]),
        rule(&["projectcalico.org"], &["tiers"], &["get"]),
    ];
    if provider == Provider::OpenShift {
        rules.push(security_context_constraint("nonroot-v2"));
    }
    cluster_role(WEBHOOKS, rules)
}
