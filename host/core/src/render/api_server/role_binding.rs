//! How the Kubernetes API servers identify themselves is written down where they keep it.

use k8s_openapi::api::rbac::v1::RoleBinding;

use crate::names::{API_SERVER, CALICO_SYSTEM};
use crate::render::meta;
use crate::render::rbac::{account_subject, role_ref};

/// Where that is.
pub(super) const NAMESPACE: &str = "kube-system";
/// Name of the binding.
pub(super) const AUTH_READER: &str = "calico-apiserver-auth-reader";

/// The RoleBinding.
pub(super) fn auth_reader() -> RoleBinding {
    RoleBinding {
        metadata: meta::namespaced(NAMESPACE, AUTH_READER),
        role_ref: role_ref("Role", "extension-apiserver-authentication-reader"),
        subjects: Some(vec![account_subject(CALICO_SYSTEM, API_SERVER)]),
    }
}
