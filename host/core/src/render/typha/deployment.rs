//! Typha's pods.

mod container;

use chimera_crds::installation::Provider;
use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec, DeploymentStrategy, RollingUpdateDeployment};
use k8s_openapi::api::core::v1::{
    Affinity, NodeAffinity, PodAffinityTerm, PodAntiAffinity, PodSpec, WeightedPodAffinityTerm,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement, ObjectMeta};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::certificates::TYPHA_NAME;
use crate::installation::config::InstallationConfig;
use crate::names::{APP_LABEL, PRIORITY_CLUSTER_CRITICAL, TYPHA};
use crate::render::meta;
use crate::render::pod::certificates::Subject;
use crate::render::pod::{self, affinity, certificates, security_context, some, toleration};

/// Connections of nodes are moved to other Typhas before one stops.
const GRACE_SECONDS: i64 = 300;
/// Neither root nor anybody on the host.
const USER: i64 = 10001;

/// The Deployment.
pub(super) fn typha(config: &InstallationConfig) -> Deployment {
    Deployment {
        metadata: meta::calico_system(TYPHA),
        spec: Some(DeploymentSpec {
            replicas: Some(config.cluster.typha_replicas),
            revision_history_limit: Some(2),
            strategy: Some(strategy()),
            template: pod::template(config, pod_metadata(config), pod_spec(config)),
            ..DeploymentSpec::default()
        }),
        ..Deployment::default()
    }
}

/// A whole new set comes up before the old one goes, one after another.
fn strategy() -> DeploymentStrategy {
    DeploymentStrategy {
        type_: Some("RollingUpdate".into()),
        rolling_update: Some(RollingUpdateDeployment {
            max_surge: Some(IntOrString::String("100%".into())),
            max_unavailable: Some(IntOrString::Int(1)),
        }),
    }
}

fn pod_metadata(config: &InstallationConfig) -> ObjectMeta {
    let mut annotations = config.certificates.bundle.annotations();
    annotations.extend([config.certificates.typha.hash_annotation()]);
    if let Some(port) = config.spec.typha_metrics_port {
        annotations.extend(pod::scraped_at(port));
    }
    ObjectMeta { annotations: Some(annotations), ..ObjectMeta::default() }
}

fn pod_spec(config: &InstallationConfig) -> PodSpec {
    let pair = &config.certificates.typha;
    let security_context = security_context::unprivileged(USER, USER);
    let subject = Subject { common_name: TYPHA_NAME, dns_names: &[TYPHA_NAME] };
    let provisioner = certificates::provisioner(config, pair, subject, security_context.clone());
    PodSpec {
        affinity: Some(placement(config)),
        containers: vec![container::typha(config, security_context)],
        host_network: Some(true),
        init_containers: some(provisioner.into_iter().collect()),
        priority_class_name: Some(PRIORITY_CLUSTER_CRITICAL.into()),
        service_account_name: Some(TYPHA.into()),
        termination_grace_period_seconds: Some(grace_seconds(config)),
        tolerations: toleration::typha(config),
        volumes: Some(vec![certificates::bundle_volume(), certificates::key_pair_volume(pair)]),
        ..PodSpec::default()
    }
}

/// As the user has it, for the pod and Typha itself must agree.
pub(super) fn grace_seconds(config: &InstallationConfig) -> i64 {
    let spec = config.spec.typha_deployment.as_ref().and_then(|deployment| deployment.spec.as_ref());
    let pod = spec.and_then(|spec| spec.template.as_ref()).and_then(|template| template.spec.as_ref());
    pod.and_then(|pod| pod.termination_grace_period_seconds).unwrap_or(GRACE_SECONDS)
}

fn placement(config: &InstallationConfig) -> Affinity {
    Affinity { node_affinity: node_affinity(config), pod_anti_affinity: Some(other_zones()), ..Affinity::default() }
}

/// What the user says of nodes, and of it what is not said from the platform.
fn node_affinity(config: &InstallationConfig) -> Option<NodeAffinity> {
    let wanted = config.spec.typha_affinity.as_ref().and_then(|affinity| affinity.node_affinity.clone());
    if config.cluster.provider != Provider::Aks {
        return wanted;
    }
    let mut node_affinity = wanted.unwrap_or_default();
    node_affinity.required_during_scheduling_ignored_during_execution.get_or_insert_with(|| {
        affinity::all_of(vec![
            affinity::not_in("type", "virtual-node"),
            affinity::exists("kubernetes.azure.com/cluster"),
        ])
    });
    Some(node_affinity)
}

fn other_zones() -> PodAntiAffinity {
    let typha =
        LabelSelectorRequirement { key: APP_LABEL.into(), operator: "In".into(), values: Some(vec![TYPHA.into()]) };
    let term = PodAffinityTerm {
        label_selector: Some(LabelSelector { match_expressions: Some(vec![typha]), ..LabelSelector::default() }),
        topology_key: "topology.kubernetes.io/zone".into(),
        ..PodAffinityTerm::default()
    };
    PodAntiAffinity {
        preferred_during_scheduling_ignored_during_execution: Some(vec![WeightedPodAffinityTerm {
            weight: 1,
            pod_affinity_term: term,
        }]),
        ..PodAntiAffinity::default()
    }
}
