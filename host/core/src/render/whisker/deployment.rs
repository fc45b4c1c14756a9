//! The pod of Whisker: the console's web server and the backend.

mod backend;
mod console;

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec, DeploymentStrategy};
use k8s_openapi::api::core::v1::{ConfigMapVolumeSource, PodSpec, Volume};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::names::{WHISKER, WHISKER_NGINX_CONFIG};
use crate::render::meta;
use crate::render::pod::{self, certificates, security_context, some, toleration};
use crate::whisker::WhiskerConfig;

/// Neither root nor anybody on the host.
const USER: i64 = 10001;
/// Configuration of the web server.
const NGINX_CONFIG: &str = "nginx-config";

/// The Deployment.
pub(super) fn whisker(config: &WhiskerConfig) -> Deployment {
    let strategy = DeploymentStrategy { type_: Some("Recreate".into()), ..DeploymentStrategy::default() };
    Deployment {
        metadata: meta::calico_system(WHISKER),
        spec: Some(DeploymentSpec {
            replicas: Some(1),
            strategy: Some(strategy),
            template: pod::template(&config.installation, pod_metadata(config), pod_spec(config)),
            ..DeploymentSpec::default()
        }),
        ..Deployment::default()
    }
}

fn pod_metadata(config: &WhiskerConfig) -> ObjectMeta {
    let hashes = [&config.key_pair, &config.backend_key_pair].map(|pair| pair.hash_annotation());
    ObjectMeta { annotations: Some(hashes.into()), ..meta::cluster(WHISKER) }
}

fn pod_spec(config: &WhiskerConfig) -> PodSpec {
    let security_context = security_context::unprivileged(USER, USER);
    let pairs = [&config.key_pair, &config.backend_key_pair];
    let provisioners =
        pairs.map(|pair| certificates::provisioner_of(&config.installation, pair, security_context.clone()));
    PodSpec {
        init_containers: some(provisioners.into_iter().flatten().collect()),
        containers: vec![
            console::whisker(config, security_context.clone()),
            backend::whisker(config, security_context),
        ],
        node_selector: config.installation.spec.control_plane_node_selector.clone(),
        service_account_name: Some(WHISKER.into()),
        tolerations: toleration::control_plane(&config.installation),
        volumes: Some(vec![
            nginx_config(),
            certificates::key_pair_volume(&config.backend_key_pair),
            certificates::private_bundle_volume(&config.bundle),
            certificates::key_pair_volume(&config.key_pair),
        ]),
        ..PodSpec::default()
    }
}

fn nginx_config() -> Volume {
    let source = ConfigMapVolumeSource { name: WHISKER_NGINX_CONFIG.into(), ..ConfigMapVolumeSource::default() };
    Volume { name: NGINX_CONFIG.into(), config_map: Some(source), ..Volume::default() }
}
