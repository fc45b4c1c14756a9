//! Identities of calico-node and of the CNI plugin.

use k8s_openapi::api::core::v1::ServiceAccount;

use crate::names::{CNI_PLUGIN, NODE};
use crate::render::meta::protecting_cni;
use crate::render::rbac::service_account;

/// Of calico-node.
pub(super) fn node() -> ServiceAccount {
    protected(service_account(NODE))
}

/// Of the CNI plugin: a node makes tokens for it and puts them on its host.
pub(super) fn cni_plugin() -> ServiceAccount {
    protected(service_account(CNI_PLUGIN))
}

fn protected(account: ServiceAccount) -> ServiceAccount {
    ServiceAccount { metadata: protecting_cni(account.metadata), ..account }
}
