//! Identity of Typha.

use k8s_openapi::api::core::v1::ServiceAccount;

use crate::names::TYPHA;

/// The ServiceAccount.
pub(super) fn typha() -> ServiceAccount {
    crate::render::rbac::service_account(TYPHA)
}
