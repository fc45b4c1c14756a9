//! Key material: the operator's certificate authority, key pairs where workloads mount them, and the bundle they trust.
//!
//! This goes with the Installation and not with a controller of its own. What is rendered for an Installation follows
//! from the authority, down to the annotations of pods: made elsewhere, it would have to be waited for, and a fresh
//! install would take another round. Other components' pairs go with their own resources, by the same authority.

mod cluster_role;

use super::Error;
use super::objects::Objects;
use crate::certificates::{KeyPair, Source};
use crate::component::Component;
use crate::installation::config::InstallationConfig;
use crate::names::{CALICO_SYSTEM, CSR_CREATOR};

/// Name of the component.
pub const COMPONENT: &str = "secrets";

/// Renders the component.
pub(super) fn component(config: &InstallationConfig) -> Result<Component, Error> {
    let certificates = &config.certificates;
    let mut objects = Objects::default();
    if let Some(authority) = certificates.ca.operator_secret() {
        objects.create(&authority)?;
    }
    for pair in [&certificates.node, &certificates.typha] {
        key_pair(&mut objects, pair)?;
    }
    objects.create(&certificates.bundle.config_map(CALICO_SYSTEM))?;
    csr_creator(&mut objects, &certificates.node)?;
    Ok(objects.component(COMPONENT))
}

/// Where a pair is kept, then where it is mounted.
pub(super) fn key_pair(objects: &mut Objects, pair: &KeyPair) -> Result<(), Error> {
    let mut secrets = pair.operator_secret().into_iter().chain(pair.secret_in(CALICO_SYSTEM));
    secrets.try_for_each(|secret| objects.create(&secret))
}

fn csr_creator(objects: &mut Objects, pair: &KeyPair) -> Result<(), Error> {
    if matches!(pair.source(), Source::Requested(_)) {
        return objects.create(&cluster_role::csr_creator());
    }
    objects.delete_from_cluster::<k8s_openapi::api::rbac::v1::ClusterRole>(CSR_CREATOR);
    Ok(())
}
