//! guardian's pod.

mod container;

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec, DeploymentStrategy};
use k8s_openapi::api::core::v1::{Container, PodSpec, SecretVolumeSource, Volume};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::cluster_connection::ClusterConnectionConfig;
use crate::hash;
use crate::names::{GUARDIAN, TUNNEL_SECRET};
use crate::render::meta;
use crate::render::pod::{self, certificates, security_context, some, toleration};

/// Neither root nor anybody on the host.
const USER: i64 = 10001;
/// The credentials for the tunnel as a volume.
const TUNNEL_VOLUME: &str = "guardian-certs";

/// The Deployment. The managing cluster takes one tunnel, so the old pod goes before the new one comes.
pub(super) fn guardian(config: &ClusterConnectionConfig) -> Deployment {
    let strategy = DeploymentStrategy { type_: Some("Recreate".into()), ..DeploymentStrategy::default() };
    let template = pod::template(&config.installation, pod_metadata(config), pod_spec(config));
    let spec = DeploymentSpec { replicas: Some(1), strategy: Some(strategy), template, ..DeploymentSpec::default() };
    Deployment { metadata: meta::calico_system(GUARDIAN), spec: Some(spec), ..Deployment::default() }
}

fn pod_metadata(config: &ClusterConnectionConfig) -> ObjectMeta {
    let mut annotations = config.installation.certificates.bundle.annotations();
    annotations.extend([config.key_pair.hash_annotation(), (hash::annotation(TUNNEL_SECRET), tunnel_hash(config))]);
    ObjectMeta { annotations: Some(annotations), ..meta::calico_system(GUARDIAN) }
}

fn tunnel_hash(config: &ClusterConnectionConfig) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let data: BTreeMap<_, _> =
        config.tunnel.data.iter().flatten().map(|(key, value)| (key.clone(), text(&value.0))).collect();
    hash::of_map(&data)
}

fn pod_spec(config: &ClusterConnectionConfig) -> PodSpec {
    let spec = &config.installation.spec;
    PodSpec {
        containers: vec![container::guardian(config, security_context::unprivileged(USER, USER))],
        init_containers: some(provisioner(config).into_iter().collect()),
        node_selector: spec.control_plane_node_selector.clone(),
        service_account_name: Some(GUARDIAN.into()),
        tolerations: toleration::control_plane(&config.installation),
        volumes: Some(vec![
            certificates::bundle_volume(),
            tunnel_volume(),
            certificates::key_pair_volume(&config.key_pair),
        ]),
        ..PodSpec::default()
    }
}

fn provisioner(config: &ClusterConnectionConfig) -> Option<Container> {
    certificates::provisioner_of(&config.installation, &config.key_pair, security_context::unprivileged(USER, USER))
}

fn tunnel_volume() -> Volume {
    let source = SecretVolumeSource { secret_name: Some(TUNNEL_SECRET.into()), ..SecretVolumeSource::default() };
    Volume { name: TUNNEL_VOLUME.into(), secret: Some(source), ..Volume::default() }
}
