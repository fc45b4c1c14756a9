//! Typha: reads the Kubernetes API once and serves it to all nodes.

mod cluster_role;
mod cluster_role_binding;
mod deployment;
mod pod_disruption_budget;
mod service;
mod service_account;

use k8s_openapi::api::core::v1::Service;
use k8s_openapi::api::rbac::v1::ClusterRoleBinding;

use super::objects::Objects;
use super::{Error, rbac};
use crate::certificates::Source;
use crate::component::Component;
use crate::installation::config::InstallationConfig;
use crate::names::{TYPHA, TYPHA_METRICS};

/// Name of the component.
pub const COMPONENT: &str = TYPHA;

/// Renders the component.
pub(super) fn component(config: &InstallationConfig) -> Result<Component, Error> {
    let mut objects = Objects::default();
    objects.create(&service_account::typha())?;
    objects.create(&cluster_role::typha(config.cluster.provider))?;
    objects.create(&cluster_role_binding::typha())?;
    match config.certificates.typha.source() {
        Source::Requested(_) => objects.create(&rbac::csr_creator_binding(TYPHA))?,
        _ => objects.delete_from_cluster::<ClusterRoleBinding>(&rbac::csr_creator_binding_name(TYPHA)),
    }
    objects.create(&service::typha())?;
    match config.spec.typha_metrics_port {
        Some(port) => objects.create(&service::metrics(port))?,
        None => objects.delete::<Service>(TYPHA_METRICS),
    }
    objects.create(&pod_disruption_budget::typha())?;
    objects.create(&deployment::typha(config))?;
    Ok(objects.component(COMPONENT))
}
