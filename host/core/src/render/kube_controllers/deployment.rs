//! The pod of kube-controllers.

mod container;

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec, DeploymentStrategy};
use k8s_openapi::api::core::v1::PodSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::installation::config::InstallationConfig;
use crate::names::{KUBE_CONTROLLERS, PRIORITY_CLUSTER_CRITICAL};
use crate::render::meta;
use crate::render::pod::{self, certificates, toleration};

/// The Deployment. There is never more than one of these at a time, not even while it is replaced.
pub(super) fn kube_controllers(config: &InstallationConfig) -> Deployment {
    let strategy = DeploymentStrategy { type_: Some("Recreate".into()), ..DeploymentStrategy::default() };
    Deployment {
        metadata: meta::calico_system(KUBE_CONTROLLERS),
        spec: Some(DeploymentSpec {
            replicas: Some(1),
            strategy: Some(strategy),
            template: pod::template(config, pod_metadata(config), pod_spec(config)),
            ..DeploymentSpec::default()
        }),
        ..Deployment::default()
    }
}

fn pod_metadata(config: &InstallationConfig) -> ObjectMeta {
    ObjectMeta { annotations: Some(config.certificates.bundle.annotations()), ..meta::calico_system(KUBE_CONTROLLERS) }
}

fn pod_spec(config: &InstallationConfig) -> PodSpec {
    PodSpec {
        containers: vec![container::kube_controllers(config)],
        node_selector: config.spec.control_plane_node_selector.clone(),
        priority_class_name: Some(PRIORITY_CLUSTER_CRITICAL.into()),
        service_account_name: Some(KUBE_CONTROLLERS.into()),
        tolerations: toleration::control_plane(config),
        volumes: Some(vec![certificates::bundle_volume()]),
        ..PodSpec::default()
    }
}
