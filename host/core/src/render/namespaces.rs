//! The namespace that Calico runs in, and what it needs before any workload comes.

mod config_map;
mod namespace;
mod resource_quota;
mod role_binding;
mod secret;

use chimera_crds::installation::Provider;

use super::Error;
use super::objects::Objects;
use crate::component::Component;
use crate::installation::config::InstallationConfig;

/// Name of the component.
pub const COMPONENT: &str = "namespaces";

/// Renders the component.
pub(super) fn component(config: &InstallationConfig) -> Result<Component, Error> {
    let mut objects = Objects::default();
    objects.create(&namespace::calico_system(&config.spec, config.cluster.provider))?;
    objects.create(&role_binding::operator_secrets(&config.cluster.operator_namespace))?;
    objects.create(&config_map::active_operator(&config.cluster.operator_namespace))?;
    if config.cluster.provider == Provider::Gke {
        objects.create(&resource_quota::critical_pods())?;
    }
    for pull_secret in &config.pull_secrets {
        objects.create(&secret::copy(pull_secret))?;
    }
    Ok(objects.component(COMPONENT))
}
