//! Identity of the API server.

use k8s_openapi::api::core::v1::ServiceAccount;

use crate::names::API_SERVER;

/// The ServiceAccount.
pub(super) fn api_server() -> ServiceAccount {
    crate::render::rbac::service_account(API_SERVER)
}
