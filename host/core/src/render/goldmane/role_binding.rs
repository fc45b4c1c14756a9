//! Gives Goldmane its Role.

use k8s_openapi::api::rbac::v1::RoleBinding;

use crate::names::GOLDMANE;
use crate::render::rbac::role_binding;

/// The RoleBinding.
pub(super) fn goldmane() -> RoleBinding {
    role_binding(GOLDMANE, GOLDMANE, GOLDMANE)
}
