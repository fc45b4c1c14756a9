//! Gives Typha its ClusterRole.

use k8s_openapi::api::rbac::v1::ClusterRoleBinding;

use crate::names::TYPHA;
use crate::render::rbac::cluster_role_binding;

/// The ClusterRoleBinding.
pub(super) fn typha() -> ClusterRoleBinding {
    cluster_role_binding(TYPHA, TYPHA, TYPHA)
}
