//! Who has these rights.

use k8s_openapi::api::rbac::v1::{ClusterRoleBinding, Subject};

use super::cluster_role::{CRDS, EXTENSION_AUTH, PASSTHROUGH, TIER_GETTER, WEBHOOK_READER};
use crate::names::API_SERVER;
use crate::render::meta;
use crate::render::rbac::{cluster_role_binding, role_ref};

/// Those that both ways to serve the resources need.
pub(super) fn common() -> [ClusterRoleBinding; 4] {
    [
        cluster_role_binding("calico-apiserver-access-calico-crds", CRDS, API_SERVER),
        cluster_role_binding("calico-apiserver-delegate-auth", "system:auth-delegator", API_SERVER),
        cluster_role_binding("calico-apiserver-webhook-reader", WEBHOOK_READER, API_SERVER),
        to_many(TIER_GETTER, "User", "system:kube-controller-manager"),
    ]
}

/// For the API server.
pub(super) fn extension_auth() -> ClusterRoleBinding {
    cluster_role_binding(EXTENSION_AUTH, EXTENSION_AUTH, API_SERVER)
}

/// For everybody who is known.
pub(super) fn passthrough() -> ClusterRoleBinding {
    to_many(PASSTHROUGH, "Group", "system:authenticated")
}

fn to_many(role: &str, kind: &str, name: &str) -> ClusterRoleBinding {
    let role_ref = role_ref("ClusterRole", role);
    let subject =
        Subject { api_group: role_ref.api_group.clone(), kind: kind.into(), name: name.into(), ..Subject::default() };
    ClusterRoleBinding { metadata: meta::cluster(role), role_ref, subjects: Some(vec![subject]) }
}
