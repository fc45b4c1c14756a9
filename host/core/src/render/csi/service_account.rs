//! Identity of the CSI driver.

use k8s_openapi::api::core::v1::ServiceAccount;

use crate::names::CSI_NODE_DRIVER;

/// The ServiceAccount.
pub(super) fn csi_node_driver() -> ServiceAccount {
    crate::render::rbac::service_account(CSI_NODE_DRIVER)
}
