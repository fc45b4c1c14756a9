//! What makes Calico's resources a part of the Kubernetes API, as `projectcalico.org/v3`: an API server that the
//! Kubernetes API servers ask, or, where the resources are CustomResourceDefinitions, webhooks that check them.

mod api_service;
mod cluster_role;
mod cluster_role_binding;
mod deployment;
mod network_policy;
mod pod_disruption_budget;
mod role_binding;
mod service;
mod service_account;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Namespace, Service, ServiceAccount};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, RoleBinding};
use k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1::APIService;

use super::objects::Objects;
use super::{Error, rbac, refuse_unknown_containers_of, webhooks};
use crate::api_server::ApiServerConfig;
use crate::certificates::Source;
use crate::component::Component;
use crate::names::{API_SERVER, API_SERVER_SERVICE, API_SERVICE, CALICO_SYSTEM};

/// Name of the component.
pub const COMPONENT: &str = API_SERVER;
/// Name of the component of network policies.
pub const POLICIES: &str = "calico-apiserver-policies";
/// Name of the component that takes away what earlier releases left.
pub const FORMER: &str = "calico-apiserver-former";
/// The namespace in which earlier releases ran the API server.
pub(crate) const FORMER_NAMESPACE: &str = "calico-apiserver";

/// Renders the components, in the order that they are applied in.
///
/// # Errors
/// If an object cannot be turned into JSON, or an override names a container that is not there.
pub fn components(config: &ApiServerConfig) -> Result<Vec<Component>, Error> {
    let mut components = vec![server(config)?, webhooks::component(config)?];
    if config.installation.takes_policies {
        components.push(policies(config)?);
    }
    refuse_unknown_containers_of(config, &components)?;
    Ok(components)
}

fn server(config: &ApiServerConfig) -> Result<Component, Error> {
    let mut objects = Objects::default();
    let operator = config.pair.operator_secret();
    for secret in operator.into_iter().chain(config.pair.secret_in(CALICO_SYSTEM)) {
        objects.create(&secret)?;
    }
    for role in cluster_role::common(config.installation.cluster.provider) {
        objects.create(&role)?;
    }
    for binding in cluster_role_binding::common() {
        objects.create(&binding)?;
    }
    if config.has_webhooks() {
        no_server(&mut objects);
    } else {
        own_server(config, &mut objects)?;
    }
    Ok(objects.component(COMPONENT))
}

/// The API server itself. The APIService comes last: from then on the Kubernetes API servers ask it.
fn own_server(config: &ApiServerConfig, objects: &mut Objects) -> Result<(), Error> {
    objects.create(&service_account::api_server())?;
    objects.create(&cluster_role::extension_auth())?;
    objects.create(&cluster_role::passthrough())?;
    objects.create(&cluster_role_binding::extension_auth())?;
    objects.create(&cluster_role_binding::passthrough())?;
    objects.create(&role_binding::auth_reader())?;
    match config.pair.source() {
        Source::Requested(_) => objects.create(&rbac::csr_creator_binding(API_SERVER))?,
        _ => objects.delete_from_cluster::<ClusterRoleBinding>(&rbac::csr_creator_binding_name(API_SERVER)),
    }
    objects.create(&service::api_server())?;
    objects.create(&pod_disruption_budget::api_server())?;
    objects.create(&deployment::api_server(config))?;
    if !config.is_answered_by_others {
        objects.create(&api_service::v3(config))?;
    }
    Ok(())
}

/// The APIService goes first: without it nobody asks the server any more, and Kubernetes makes its own one.
fn no_server(objects: &mut Objects) {
    objects.delete_from_cluster::<APIService>(API_SERVICE);
    objects.delete::<Deployment>(API_SERVER);
    objects.delete::<PodDisruptionBudget>(API_SERVER);
    objects.delete::<Service>(API_SERVER_SERVICE);
    objects.delete_from::<RoleBinding>(role_binding::NAMESPACE, role_binding::AUTH_READER);
    for name in [cluster_role::EXTENSION_AUTH, cluster_role::PASSTHROUGH] {
        objects.delete_from_cluster::<ClusterRoleBinding>(name);
        objects.delete_from_cluster::<ClusterRole>(name);
    }
    objects.delete_from_cluster::<ClusterRoleBinding>(&rbac::csr_creator_binding_name(API_SERVER));
    objects.delete::<ServiceAccount>(API_SERVER);
}

fn policies(config: &ApiServerConfig) -> Result<Component, Error> {
    let cluster = &config.installation.cluster;
    let mut objects = Objects::default();
    objects.create_calico(&network_policy::api_server(cluster))?;
    match config.has_webhooks() {
        true => objects.create_calico(&webhooks::network_policy(cluster))?,
        false => objects.delete_calico_policy(&super::tiered::name_of(crate::names::WEBHOOKS)),
    }
    Ok(objects.component(POLICIES))
}

/// What earlier releases ran, each in a namespace of its own. Nothing needs it once the present server answers. Apply
/// deletes only what carries the operator's mark, the namespace included.
pub fn former() -> Component {
    let mut objects = Objects::default();
    objects.delete_from::<PodDisruptionBudget>(FORMER_NAMESPACE, API_SERVER);
    objects.delete_from::<Deployment>(FORMER_NAMESPACE, API_SERVER);
    objects.delete_from::<Service>(FORMER_NAMESPACE, API_SERVER_SERVICE);
    objects.delete_from_cluster::<Namespace>(FORMER_NAMESPACE);
    objects.component(FORMER)
}
