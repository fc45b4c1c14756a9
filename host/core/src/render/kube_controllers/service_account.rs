//! Identity of kube-controllers.

use k8s_openapi::api::core::v1::ServiceAccount;

use crate::names::KUBE_CONTROLLERS;

/// The ServiceAccount.
pub(super) fn kube_controllers() -> ServiceAccount {
    crate::render::rbac::service_account(KUBE_CONTROLLERS)
}
