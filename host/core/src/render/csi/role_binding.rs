//! Gives the CSI driver its Role.

use k8s_openapi::api::rbac::v1::RoleBinding;

use crate::names::{CALICO_SYSTEM, CSI_NODE_DRIVER};
use crate::render::{meta, rbac};

/// The RoleBinding.
pub(super) fn csi_node_driver() -> RoleBinding {
    RoleBinding {
        metadata: meta::calico_system(CSI_NODE_DRIVER),
        role_ref: rbac::role_ref("Role", CSI_NODE_DRIVER),
        subjects: Some(vec![rbac::account_subject(CALICO_SYSTEM, CSI_NODE_DRIVER)]),
    }
}
