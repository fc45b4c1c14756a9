//! The pod of Goldmane.

mod container;

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec, DeploymentStrategy};
use k8s_openapi::api::core::v1::{ConfigMapVolumeSource, PodSpec, Volume};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::goldmane::GoldmaneConfig;
use crate::names::GOLDMANE;
use crate::render::meta;
use crate::render::pod::{self, certificates, security_context, some, toleration};

/// Neither root nor anybody on the host.
const USER: i64 = 10001;
/// What it reads again when it changes.
const CONFIG: &str = "config";

/// The Deployment. Flows are kept in memory, so two at a time would each have half of them.
pub(super) fn goldmane(config: &GoldmaneConfig) -> Deployment {
    let strategy = DeploymentStrategy { type_: Some("Recreate".into()), ..DeploymentStrategy::default() };
    Deployment {
        // On the Deployment and not on its pods, which read a new pair by themselves.
        metadata: ObjectMeta {
            annotations: Some([config.key_pair.hash_annotation()].into()),
            ..meta::calico_system(GOLDMANE)
        },
        spec: Some(DeploymentSpec {
            replicas: Some(1),
            strategy: Some(strategy),
            template: pod::template(&config.installation, meta::cluster(GOLDMANE), pod_spec(config)),
            ..DeploymentSpec::default()
        }),
        ..Deployment::default()
    }
}

fn pod_spec(config: &GoldmaneConfig) -> PodSpec {
    let pair = &config.key_pair;
    let security_context = security_context::unprivileged(USER, USER);
    let provisioner = certificates::provisioner_of(&config.installation, pair, security_context.clone());
    PodSpec {
        containers: vec![container::goldmane(config, security_context)],
        init_containers: some(provisioner.into_iter().collect()),
        node_selector: config.installation.spec.control_plane_node_selector.clone(),
        service_account_name: Some(GOLDMANE.into()),
        tolerations: toleration::control_plane(&config.installation),
        volumes: Some(vec![
            config_volume(),
            certificates::private_bundle_volume(&config.bundle),
            certificates::key_pair_volume(pair),
        ]),
        ..PodSpec::default()
    }
}

fn config_volume() -> Volume {
    let source = ConfigMapVolumeSource { name: GOLDMANE.into(), ..ConfigMapVolumeSource::default() };
    Volume { name: CONFIG.into(), config_map: Some(source), ..Volume::default() }
}
