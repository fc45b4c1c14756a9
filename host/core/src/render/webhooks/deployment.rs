//! The pods of the webhooks.

mod container;

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec, DeploymentStrategy, RollingUpdateDeployment};
use k8s_openapi::api::core::v1::PodSpec;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::api_server::{ApiServerConfig, is_out_of_reach};
use crate::certificates::{KeyPair, service_names};
use crate::names::{APP_LABEL, CALICO_SYSTEM, WEBHOOKS};
use crate::render::meta;
use crate::render::pod::certificates::Subject;
use crate::render::pod::{self, affinity, certificates, security_context, some, toleration};

/// Neither root nor anybody on the host.
const USER: i64 = 10001;

/// The Deployment.
pub(super) fn webhooks(config: &ApiServerConfig, pair: &KeyPair) -> Deployment {
    let installation = &config.installation;
    Deployment {
        metadata: meta::calico_system(WEBHOOKS),
        spec: Some(DeploymentSpec {
            replicas: installation.spec.control_plane_replicas,
            strategy: Some(strategy(config)),
            template: pod::template(installation, meta::cluster(WEBHOOKS), pod_spec(config, pair)),
            ..DeploymentSpec::default()
        }),
        ..Deployment::default()
    }
}

/// What the Service goes by, too.
pub(super) fn labels() -> BTreeMap<String, String> {
    BTreeMap::from([(APP_LABEL.into(), WEBHOOKS.into())])
}

/// Somebody always answers, or nothing could be written meanwhile. On the host's network, the port of the old pod must be
/// free first.
fn strategy(config: &ApiServerConfig) -> DeploymentStrategy {
    let (surge, unavailable) = if is_on_host(config) { (0, 1) } else { (1, 0) };
    DeploymentStrategy {
        type_: Some("RollingUpdate".into()),
        rolling_update: Some(RollingUpdateDeployment {
            max_surge: Some(IntOrString::Int(surge)),
            max_unavailable: Some(IntOrString::Int(unavailable)),
        }),
    }
}

/// As the user has it, for other fields follow from it.
fn is_on_host(config: &ApiServerConfig) -> bool {
    let spec = config.spec.calico_webhooks_deployment.as_ref().and_then(|deployment| deployment.spec.as_ref());
    let pod = spec.and_then(|spec| spec.template.as_ref()).and_then(|template| template.spec.as_ref());
    pod.and_then(|pod| pod.host_network).unwrap_or_else(|| is_out_of_reach(&config.installation))
}

fn pod_spec(config: &ApiServerConfig, pair: &KeyPair) -> PodSpec {
    let installation = &config.installation;
    let security_context = security_context::unprivileged(USER, USER);
    let names = service_names(WEBHOOKS, &installation.cluster.domain);
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let subject = Subject { common_name: WEBHOOKS, dns_names: &names };
    let provisioner = certificates::provisioner(installation, pair, subject, security_context.clone());
    let on_host = is_on_host(config);
    PodSpec {
        affinity: Some(affinity::apart(WEBHOOKS, &[CALICO_SYSTEM])),
        containers: vec![container::webhooks(config, pair, on_host, security_context)],
        dns_policy: on_host.then(|| pod::DNS_ON_HOST.into()),
        host_network: on_host.then_some(true),
        init_containers: some(provisioner.into_iter().collect()),
        node_selector: installation.spec.control_plane_node_selector.clone(),
        service_account_name: Some(WEBHOOKS.into()),
        tolerations: toleration::servers(installation),
        volumes: Some(vec![certificates::key_pair_volume(pair)]),
        ..PodSpec::default()
    }
}
