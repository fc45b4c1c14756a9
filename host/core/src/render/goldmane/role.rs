//! What Goldmane may do: keep in ConfigMaps how far it is with passing flows on.

use chimera_crds::installation::Provider;
use k8s_openapi::api::rbac::v1::Role;

use crate::names::GOLDMANE;
use crate::render::rbac::{CORE, role, rule, security_context_constraint};

/// The Role.
pub(super) fn goldmane(provider: Provider) -> Role {
    let mut rules = vec![rule(CORE, &["configmaps"], &["get", "list", "watch", "create", "update", "patch"])];
    if provider == Provider::OpenShift {
        rules.push(security_context_constraint("nonroot-v2"));
    }
    role(GOLDMANE, rules)
}
