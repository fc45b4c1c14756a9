//! What the CSI driver may do: run privileged, where a platform asks for leave.

use k8s_openapi::api::rbac::v1::Role;

use crate::names::CSI_NODE_DRIVER;
use crate::render::{meta, rbac};

/// The Role.
pub(super) fn csi_node_driver() -> Role {
    Role {
        metadata: meta::calico_system(CSI_NODE_DRIVER),
        rules: Some(vec![rbac::security_context_constraint("privileged")]),
    }
}
