//! Identity of the webhooks.

use k8s_openapi::api::core::v1::ServiceAccount;

use crate::names::WEBHOOKS;

/// The ServiceAccount.
pub(super) fn webhooks() -> ServiceAccount {
    crate::render::rbac::service_account(WEBHOOKS)
}
