//! The pods of the API server.

mod container;

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec, DeploymentStrategy};
use k8s_openapi::api::core::v1::PodSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};

pub(super) use container::PORT;

use super::FORMER_NAMESPACE;
use crate::api_server::{ApiServerConfig, is_out_of_reach};
use crate::certificates::service_names;
use crate::names::{API_SERVER, API_SERVER_SERVICE, CALICO_SYSTEM};
use crate::render::meta;
use crate::render::pod::certificates::Subject;
use crate::render::pod::{self, affinity, certificates, security_context, some, toleration};

/// Neither root nor anybody on the host.
const USER: i64 = 10001;
/// Namespaces that replicas may be in: those of other releases as well, while one takes the other's place.
const NAMESPACES: [&str; 3] = [CALICO_SYSTEM, "tigera-system", FORMER_NAMESPACE];

/// The Deployment.
pub(super) fn api_server(config: &ApiServerConfig) -> Deployment {
    let installation = &config.installation;
    let metadata = ObjectMeta { labels: Some(labels()), ..meta::calico_system(API_SERVER) };
    Deployment {
        metadata,
        spec: Some(DeploymentSpec {
            replicas: installation.spec.control_plane_replicas,
            selector: selector(),
            strategy: strategy(config),
            template: pod::template(installation, pod_metadata(config), pod_spec(config)),
            ..DeploymentSpec::default()
        }),
        ..Deployment::default()
    }
}

/// What the Service and the PodDisruptionBudget go by, too.
pub(super) fn labels() -> BTreeMap<String, String> {
    BTreeMap::from([("apiserver".into(), "true".into())])
}

/// Selects the pods.
pub(super) fn selector() -> LabelSelector {
    LabelSelector { match_labels: Some(labels()), ..LabelSelector::default() }
}

/// On the host's network, the port of the old pod must be free first.
fn strategy(config: &ApiServerConfig) -> Option<DeploymentStrategy> {
    is_out_of_reach(&config.installation)
        .then(|| DeploymentStrategy { type_: Some("Recreate".into()), ..DeploymentStrategy::default() })
}

fn pod_metadata(config: &ApiServerConfig) -> ObjectMeta {
    let annotations = BTreeMap::from([config.pair.hash_annotation()]);
    ObjectMeta { annotations: Some(annotations), labels: Some(labels()), ..meta::calico_system(API_SERVER) }
}

fn pod_spec(config: &ApiServerConfig) -> PodSpec {
    let (installation, pair) = (&config.installation, &config.pair);
    let security_context = security_context::unprivileged(USER, USER);
    let names = service_names(API_SERVER_SERVICE, &installation.cluster.domain);
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let subject = Subject { common_name: API_SERVER_SERVICE, dns_names: &names };
    let provisioner = certificates::provisioner(installation, pair, subject, security_context.clone());
    let on_host = is_out_of_reach(installation);
    PodSpec {
        affinity: Some(affinity::apart(API_SERVER, &NAMESPACES)),
        containers: vec![container::api_server(config, security_context)],
        dns_policy: on_host.then(|| pod::DNS_ON_HOST.into()),
        host_network: on_host.then_some(true),
        init_containers: some(provisioner.into_iter().collect()),
        node_selector: installation.spec.control_plane_node_selector.clone(),
        service_account_name: Some(API_SERVER.into()),
        tolerations: toleration::servers(installation),
        volumes: Some(vec![certificates::key_pair_volume(pair)]),
        ..PodSpec::default()
    }
}
