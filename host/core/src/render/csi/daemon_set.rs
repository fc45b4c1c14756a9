//! The driver on each node.

mod driver;
mod registrar;
mod volumes;

use k8s_openapi::api::apps::v1::{DaemonSet, DaemonSetSpec};
use k8s_openapi::api::core::v1::PodSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::installation::config::InstallationConfig;
use crate::names::{CSI_NODE_DRIVER, PRIORITY_NODE_CRITICAL};
use crate::render::meta;
use crate::render::pod::{self, affinity, toleration};

/// The DaemonSet, for kubelets with this directory.
pub(super) fn csi_node_driver(config: &InstallationConfig, kubelet: &str) -> DaemonSet {
    DaemonSet {
        metadata: meta::calico_system(CSI_NODE_DRIVER),
        spec: Some(DaemonSetSpec {
            template: pod::template(config, pod_metadata(), pod_spec(config, kubelet)),
            ..DaemonSetSpec::default()
        }),
        ..DaemonSet::default()
    }
}

fn pod_metadata() -> ObjectMeta {
    ObjectMeta { labels: Some([("name".into(), CSI_NODE_DRIVER.into())].into()), ..ObjectMeta::default() }
}

fn pod_spec(config: &InstallationConfig, kubelet: &str) -> PodSpec {
    PodSpec {
        affinity: affinity::real_nodes(config.cluster.provider),
        containers: vec![driver::csi(config, kubelet), registrar::registrar(config, kubelet)],
        priority_class_name: Some(PRIORITY_NODE_CRITICAL.into()),
        service_account_name: Some(CSI_NODE_DRIVER.into()),
        tolerations: toleration::everything(),
        volumes: Some(volumes::all(kubelet)),
        ..PodSpec::default()
    }
}
