//! Gives the webhooks their ClusterRole.

use k8s_openapi::api::rbac::v1::ClusterRoleBinding;

use crate::names::WEBHOOKS;
use crate::render::rbac::cluster_role_binding;

/// The ClusterRoleBinding.
pub(super) fn webhooks() -> ClusterRoleBinding {
    cluster_role_binding(WEBHOOKS, WEBHOOKS, WEBHOOKS)
}
