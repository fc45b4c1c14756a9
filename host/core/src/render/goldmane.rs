//! Goldmane: collects flows from all nodes and serves them.

mod config_map;
mod deployment;
mod network_policy;
mod role;
mod role_binding;
mod service;
mod service_account;

use k8s_openapi::api::core::v1::Service;
use k8s_openapi::api::networking::v1::NetworkPolicy;
use k8s_openapi::api::rbac::v1::ClusterRoleBinding;

use super::objects::Objects;
use super::{Error, rbac, refuse_unknown_containers_of, secrets};
use crate::certificates::Source;
use crate::component::Component;
use crate::goldmane::GoldmaneConfig;
use crate::names::{CALICO_SYSTEM, GOLDMANE, GOLDMANE_METRICS};

/// Name of the component.
pub const COMPONENT: &str = GOLDMANE;
/// Name of the component with its network policy.
pub const POLICY_COMPONENT: &str = "goldmane-policy";

/// Renders the component.
///
/// # Errors
/// If an object cannot be turned into JSON, or an override names a container that is not there.
pub fn component(config: &GoldmaneConfig) -> Result<Component, Error> {
    let mut objects = Objects::default();
    // Nodes wait for its address.
    objects.create(&service::goldmane())?;
    secrets::key_pair(&mut objects, &config.key_pair)?;
    objects.create(&config.bundle.config_map(CALICO_SYSTEM))?;
    objects.create(&service_account::goldmane())?;
    objects.create(&role::goldmane(config.installation.cluster.provider))?;
    objects.create(&role_binding::goldmane())?;
    match config.key_pair.source() {
        Source::Requested(_) => objects.create(&rbac::csr_creator_binding(GOLDMANE))?,
        _ => objects.delete_from_cluster::<ClusterRoleBinding>(&rbac::csr_creator_binding_name(GOLDMANE)),
    }
    objects.create(&config_map::goldmane(config.is_managed))?;
    match config.metrics_port() {
        Some(port) => objects.create(&service::metrics(port))?,
        None => objects.delete::<Service>(GOLDMANE_METRICS),
    }
    // Of releases before it had a tier.
    objects.delete::<NetworkPolicy>(GOLDMANE);
    objects.create(&deployment::goldmane(config))?;
    let component = objects.component(COMPONENT);
    refuse_unknown_containers_of(config, std::slice::from_ref(&component))?;
    Ok(component)
}

/// Renders its network policy, for a cluster that takes such.
///
/// # Errors
/// If it cannot be turned into JSON.
pub fn policy(config: &GoldmaneConfig) -> Result<Component, Error> {
    let mut objects = Objects::default();
    objects.create_calico(&network_policy::goldmane(config))?;
    Ok(objects.component(POLICY_COMPONENT))
}

#[cfg(test)]
mod tests;
