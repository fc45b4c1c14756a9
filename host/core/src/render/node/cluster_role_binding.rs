//! Who has the ClusterRoles of this component.

use k8s_openapi::api::rbac::v1::ClusterRoleBinding;

use crate::names::{CALICO_SYSTEM, CNI_PLUGIN, NODE};
use crate::render::meta::{self, protecting_cni};
use crate::render::rbac::{self, cluster_role_binding};

/// Name of the binding of [`cluster_admin`].
pub(super) const CLUSTER_ADMIN: &str = "calico-cluster-admin";

/// Of calico-node.
pub(super) fn node() -> ClusterRoleBinding {
    protected(cluster_role_binding(NODE, NODE, NODE))
}

/// Of the CNI plugin.
pub(super) fn cni_plugin() -> ClusterRoleBinding {
    protected(cluster_role_binding(CNI_PLUGIN, CNI_PLUGIN, CNI_PLUGIN))
}

/// Docker Enterprise: pods may change their host only if their account may do everything.
pub(super) fn cluster_admin() -> ClusterRoleBinding {
    ClusterRoleBinding {
        metadata: meta::cluster(CLUSTER_ADMIN),
        role_ref: rbac::role_ref("ClusterRole", "cluster-admin"),
        subjects: Some([NODE, CNI_PLUGIN].map(|account| rbac::account_subject(CALICO_SYSTEM, account)).into()),
    }
}

fn protected(binding: ClusterRoleBinding) -> ClusterRoleBinding {
    ClusterRoleBinding { metadata: protecting_cni(binding.metadata), ..binding }
}
