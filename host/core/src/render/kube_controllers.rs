//! The controllers that run once in a cluster: they clean up after nodes and pods, and give addresses to Services.

mod cluster_role;
mod cluster_role_binding;
mod deployment;
mod service_account;

use chimera_crds::installation::Provider;
use k8s_openapi::api::rbac::v1::ClusterRoleBinding;

use super::objects::Objects;
use super::{Error, rbac};
use crate::certificates::Source;
use crate::component::Component;
use crate::installation::config::InstallationConfig;
use crate::names::KUBE_CONTROLLERS;

/// Name of the component.
pub const COMPONENT: &str = KUBE_CONTROLLERS;

/// Renders the component.
pub(super) fn component(config: &InstallationConfig) -> Result<Component, Error> {
    let mut objects = Objects::default();
    objects.create(&service_account::kube_controllers())?;
    objects.create(&cluster_role::kube_controllers(config.cluster.provider))?;
    objects.create(&cluster_role_binding::kube_controllers())?;
    match config.cluster.provider {
        Provider::OpenShift => objects.create(&cluster_role_binding::endpoint_controller())?,
        _ => objects.delete_from_cluster::<ClusterRoleBinding>(cluster_role_binding::ENDPOINT_CONTROLLER),
    }
    match config.certificates.ca.source() {
        Source::Requested(_) => objects.create(&rbac::csr_creator_binding(KUBE_CONTROLLERS))?,
        _ => objects.delete_from_cluster::<ClusterRoleBinding>(&rbac::csr_creator_binding_name(KUBE_CONTROLLERS)),
    }
    objects.create(&deployment::kube_controllers(config))?;
    Ok(objects.component(COMPONENT))
}
