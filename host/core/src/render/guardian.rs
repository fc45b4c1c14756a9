//! guardian: keeps the tunnel to the managing cluster open, and lets requests in through it.

mod cluster_role;
mod cluster_role_binding;
mod deployment;
mod network_policy;
mod secret;
mod service;
mod service_account;

use k8s_openapi::api::rbac::v1::ClusterRoleBinding;

use super::objects::Objects;
use super::{Error, rbac, refuse_unknown_containers_of};
use crate::certificates::Source;
use crate::cluster_connection::ClusterConnectionConfig;
use crate::component::{Component, Readiness};
use crate::names::{CALICO_SYSTEM, GUARDIAN};

/// Name of the component.
pub const COMPONENT: &str = GUARDIAN;
/// Name of the component with its network policy.
pub const POLICIES: &str = "guardian-policies";

/// Renders the components: guardian, and its network policy where the cluster takes it.
///
/// # Errors
/// If an object cannot be turned into JSON, naming its kind; or the overrides name containers that are not there.
pub fn components(config: &ClusterConnectionConfig, readiness: &Readiness) -> Result<Vec<Component>, Error> {
    let mut components = vec![component(config)?];
    refuse_unknown_containers_of(config, &components)?;
    if config.installation.takes_policies {
        components.push(policies(config)?);
    }
    Ok(components.into_iter().map(|component| component.when(readiness.clone())).collect())
}

fn component(config: &ClusterConnectionConfig) -> Result<Component, Error> {
    let mut objects = Objects::default();
    objects.create(&service_account::guardian())?;
    objects.create(&cluster_role::guardian(config.installation.cluster.provider))?;
    objects.create(&cluster_role_binding::guardian())?;
    match config.key_pair.source() {
        Source::Requested(_) => objects.create(&rbac::csr_creator_binding(GUARDIAN))?,
        _ => objects.delete_from_cluster::<ClusterRoleBinding>(&rbac::csr_creator_binding_name(GUARDIAN)),
    }
    for secret in config.key_pair.operator_secret().into_iter().chain(config.key_pair.secret_in(CALICO_SYSTEM)) {
        objects.create(&secret)?;
    }
    objects.create(&secret::tunnel(&config.tunnel))?;
    objects.create(&service::guardian())?;
    objects.create(&deployment::guardian(config))?;
    Ok(objects.component(COMPONENT))
}

fn policies(config: &ClusterConnectionConfig) -> Result<Component, Error> {
    let mut objects = Objects::default();
    objects.create_calico(&network_policy::guardian(config))?;
    Ok(objects.component(POLICIES))
}
