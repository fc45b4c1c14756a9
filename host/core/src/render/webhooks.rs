//! Admission webhooks for Calico's resources, where these are CustomResourceDefinitions: they check what an API server
//! of their own would.

mod cluster_role;
mod cluster_role_binding;
mod deployment;
mod network_policy;
mod service;
mod service_account;
mod validating_webhook_configuration;

use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Secret, Service, ServiceAccount};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};

use super::objects::Objects;
use super::{Error, rbac};
use crate::api_server::{ApiServerConfig, WEBHOOKS_SECRET};
use crate::certificates::{KeyPair, Source};
use crate::component::Component;
use crate::names::{CALICO_SYSTEM, WEBHOOKS};

pub(super) use network_policy::webhooks as network_policy;

/// Name of the component.
pub(super) const COMPONENT: &str = WEBHOOKS;

/// Where it listens.
const PORT: u16 = 6443;

/// Renders the component.
pub(super) fn component(config: &ApiServerConfig) -> Result<Component, Error> {
    let mut objects = Objects::default();
    match &config.webhooks_pair {
        Some(pair) => there(config, pair, &mut objects)?,
        None => nothing(&mut objects),
    }
    Ok(objects.component(COMPONENT))
}

/// The configuration comes last: from then on the Kubernetes API servers ask.
fn there(config: &ApiServerConfig, pair: &KeyPair, objects: &mut Objects) -> Result<(), Error> {
    for secret in pair.operator_secret().into_iter().chain(pair.secret_in(CALICO_SYSTEM)) {
        objects.create(&secret)?;
    }
    objects.create(&service_account::webhooks())?;
    objects.create(&cluster_role::webhooks(config.installation.cluster.provider))?;
    objects.create(&cluster_role_binding::webhooks())?;
    match pair.source() {
        Source::Requested(_) => objects.create(&rbac::csr_creator_binding(WEBHOOKS))?,
        _ => objects.delete_from_cluster::<ClusterRoleBinding>(&rbac::csr_creator_binding_name(WEBHOOKS)),
    }
    objects.create(&service::webhooks())?;
    objects.create(&deployment::webhooks(config, pair))?;
    objects.create(&validating_webhook_configuration::webhooks(config, pair))
}

/// The configuration goes first, or nothing could be written once nobody answers.
fn nothing(objects: &mut Objects) {
    objects.delete_from_cluster::<ValidatingWebhookConfiguration>(validating_webhook_configuration::NAME);
    objects.delete::<Deployment>(WEBHOOKS);
    objects.delete::<Service>(WEBHOOKS);
    objects.delete_from_cluster::<ClusterRoleBinding>(WEBHOOKS);
    objects.delete_from_cluster::<ClusterRoleBinding>(&rbac::csr_creator_binding_name(WEBHOOKS));
    objects.delete_from_cluster::<ClusterRole>(WEBHOOKS);
    objects.delete::<ServiceAccount>(WEBHOOKS);
    objects.delete::<Secret>(WEBHOOKS_SECRET);
}
