//! Gives guardian its ClusterRole.

use k8s_openapi::api::rbac::v1::ClusterRoleBinding;

use crate::names::{GUARDIAN, GUARDIAN_ROLE};
use crate::render::rbac::cluster_role_binding;

/// The ClusterRoleBinding.
pub(super) fn guardian() -> ClusterRoleBinding {
    cluster_role_binding(GUARDIAN_ROLE, GUARDIAN_ROLE, GUARDIAN)
}
