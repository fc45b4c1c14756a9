//! Identity of Goldmane.

use k8s_openapi::api::core::v1::ServiceAccount;

use crate::names::GOLDMANE;

/// The ServiceAccount.
pub(super) fn goldmane() -> ServiceAccount {
    crate::render::rbac::service_account(GOLDMANE)
}
