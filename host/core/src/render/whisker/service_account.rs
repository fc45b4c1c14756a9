//! Identity of Whisker.

use k8s_openapi::api::core::v1::ServiceAccount;

use crate::names::WHISKER;

/// The ServiceAccount.
pub(super) fn whisker() -> ServiceAccount {
    crate::render::rbac::service_account(WHISKER)
}
