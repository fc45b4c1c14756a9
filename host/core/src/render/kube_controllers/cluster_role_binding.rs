//! Gives kube-controllers their ClusterRole, and what a platform asks for besides.

use k8s_openapi::api::rbac::v1::ClusterRoleBinding;

use crate::names::KUBE_CONTROLLERS;
use crate::render::rbac::cluster_role_binding;

/// Also on OpenShift, where whoever writes an Endpoints object needs the right to write restricted ones.
pub(super) const ENDPOINT_CONTROLLER: &str = "calico-kube-controllers-endpoint-controller";

/// The ClusterRoleBinding.
pub(super) fn kube_controllers() -> ClusterRoleBinding {
    cluster_role_binding(KUBE_CONTROLLERS, KUBE_CONTROLLERS, KUBE_CONTROLLERS)
}

/// OpenShift: the role that Kubernetes' own controller of endpoints has.
pub(super) fn endpoint_controller() -> ClusterRoleBinding {
    cluster_role_binding(ENDPOINT_CONTROLLER, "system:controller:endpoint-controller", KUBE_CONTROLLERS)
}
