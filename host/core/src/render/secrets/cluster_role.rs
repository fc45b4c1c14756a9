//! What a workload may do to obtain its certificate from an external signer.

use k8s_openapi::api::rbac::v1::ClusterRole;

use crate::names::CSR_CREATOR;
use crate::render::rbac::{cluster_role, rule};

/// The ClusterRole.
pub(super) fn csr_creator() -> ClusterRole {
    let requests = rule(&["certificates.k8s.io"], &["certificatesigningrequests"], &["create", "watch", "delete"]);
    cluster_role(CSR_CREATOR, vec![requests])
}
