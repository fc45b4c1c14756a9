//! Who guardian is to the Kubernetes API.

use k8s_openapi::api::core::v1::ServiceAccount;

use crate::names::GUARDIAN;
use crate::render::rbac;

/// The ServiceAccount.
pub(super) fn guardian() -> ServiceAccount {
    rbac::service_account(GUARDIAN)
}
