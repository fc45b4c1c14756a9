//! Whisker: the web console for flows, and the backend that fetches them from Goldmane.

mod config_map;
mod deployment;
mod network_policy;
mod role;
mod service;
mod service_account;

use chimera_crds::installation::Provider;
use k8s_openapi::api::networking::v1::NetworkPolicy;
use k8s_openapi::api::rbac::v1::{ClusterRoleBinding, Role, RoleBinding};

use super::objects::Objects;
use super::{Error, rbac, refuse_unknown_containers_of, secrets};
use crate::certificates::Source;
use crate::component::Component;
use crate::names::{CALICO_SYSTEM, WHISKER};
use crate::whisker::WhiskerConfig;

/// Name of the component.
pub const COMPONENT: &str = WHISKER;
/// Name of the component with its network policy.
pub const POLICY_COMPONENT: &str = "whisker-policy";

/// Renders the component.
///
/// # Errors
/// If an object cannot be turned into JSON, or an override names a container that is not there.
pub fn component(config: &WhiskerConfig) -> Result<Component, Error> {
    let mut objects = Objects::default();
    for pair in [&config.key_pair, &config.backend_key_pair] {
        secrets::key_pair(&mut objects, pair)?;
    }
    objects.create(&config.bundle.config_map(CALICO_SYSTEM))?;
    objects.create(&service_account::whisker())?;
    rbac(&mut objects, config)?;
    objects.create(&config_map::nginx(config))?;
    objects.create(&service::whisker())?;
    // Of releases before it had a tier.
    objects.delete::<NetworkPolicy>(WHISKER);
    objects.create(&deployment::whisker(config))?;
    let component = objects.component(COMPONENT);
    refuse_unknown_containers_of(config, std::slice::from_ref(&component))?;
    Ok(component)
}

fn rbac(objects: &mut Objects, config: &WhiskerConfig) -> Result<(), Error> {
    match config.installation.cluster.provider {
        Provider::OpenShift => {
            objects.create(&role::whisker())?;
            objects.create(&rbac::role_binding(WHISKER, WHISKER, WHISKER))?;
        }
        _ => {
            objects.delete::<RoleBinding>(WHISKER);
            objects.delete::<Role>(WHISKER);
        }
    }
    let is_requested =
        [&config.key_pair, &config.backend_key_pair].iter().any(|pair| matches!(pair.source(), Source::Requested(_)));
    if is_requested {
        return objects.create(&rbac::csr_creator_binding(WHISKER));
    }
    objects.delete_from_cluster::<ClusterRoleBinding>(&rbac::csr_creator_binding_name(WHISKER));
    Ok(())
}

/// Renders its network policy, for a cluster that takes such.
///
/// # Errors
/// If it cannot be turned into JSON.
pub fn policy(config: &WhiskerConfig) -> Result<Component, Error> {
    let mut objects = Objects::default();
    objects.create_calico(&network_policy::whisker(config))?;
    Ok(objects.component(POLICY_COMPONENT))
}

#[cfg(test)]
mod tests;
