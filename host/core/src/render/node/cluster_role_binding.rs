//! Who has the ClusterRoles of this component.

use k8s_openapi::api::rbac::v1::ClusterRoleBinding;

use crate::names::{CNI_PLUGIN, NODE};
use crate::render::meta::protecting_cni;
use crate::render::rbac::cluster_role_binding;

/// Of calico-node.
pub(super) fn node() -> ClusterRoleBinding {
    protected(cluster_role_binding(NODE, NODE, NODE))
}

/// Of the CNI plugin.
pub(super) fn cni_plugin() -> ClusterRoleBinding {
    protected(cluster_role_binding(CNI_PLUGIN, CNI_PLUGIN, CNI_PLUGIN))
}

fn protected(binding: ClusterRoleBinding) -> ClusterRoleBinding {
    ClusterRoleBinding { metadata: protecting_cni(binding.metadata), ..binding }
}
