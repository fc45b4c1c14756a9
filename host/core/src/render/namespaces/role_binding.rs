//! Lets the operator keep Secrets in the namespace.

use k8s_openapi::api::rbac::v1::RoleBinding;

use crate::names::{OPERATOR_SECRETS_ROLE, OPERATOR_SERVICE_ACCOUNT};
use crate::render::{meta, rbac};

/// The RoleBinding.
pub(super) fn operator_secrets(namespace: &str) -> RoleBinding {
    RoleBinding {
        metadata: meta::calico_system(OPERATOR_SECRETS_ROLE),
        role_ref: rbac::role_ref("ClusterRole", OPERATOR_SECRETS_ROLE),
        subjects: Some(vec![rbac::account_subject(namespace, OPERATOR_SERVICE_ACCOUNT)]),
    }
}
