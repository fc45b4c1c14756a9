//! calico-node on each node, after the containers that prepare the node for it.

mod calico_node;
mod cni_plugins;
mod ebpf_bootstrap;
pub(crate) mod environment;
mod flexvol;
mod install_cni;
mod volumes;

use k8s_openapi::api::apps::v1::{DaemonSet, DaemonSetSpec};
use k8s_openapi::api::core::v1::{ConfigMap, Container, HostAlias, PodSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::certificates::NODE_NAME;
use crate::goldmane::Collector;
use crate::hash;
use crate::installation::config::InstallationConfig;
use crate::names::{CNI_CONFIG_HASH, NODE, PRIORITY_NODE_CRITICAL};
use crate::render::pod::certificates::Subject;
use crate::render::pod::{self, affinity, certificates, security_context, some, toleration};
use crate::render::{meta, spec};

/// Traffic goes on while calico-node restarts, so nothing is gained by waiting.
const GRACE_SECONDS: i64 = 5;

/// The DaemonSet. Its pods restart when the CNI configuration changes.
pub(super) fn node(config: &InstallationConfig, cni_config: Option<&ConfigMap>) -> DaemonSet {
    DaemonSet {
        metadata: meta::calico_system(NODE),
        spec: Some(DaemonSetSpec {
            template: pod::template(config, pod_metadata(config, cni_config), pod_spec(config)),
            update_strategy: config.spec.node_update_strategy.clone(),
            ..DaemonSetSpec::default()
        }),
        ..DaemonSet::default()
    }
}

fn pod_metadata(config: &InstallationConfig, cni_config: Option<&ConfigMap>) -> ObjectMeta {
    let mut annotations = config.certificates.bundle.annotations();
    let data = cni_config.and_then(|cni_config| cni_config.data.as_ref());
    annotations.extend(data.map(|data| (CNI_CONFIG_HASH.into(), hash::of_map(data))));
    annotations.extend(config.spec.node_metrics_port.into_iter().flat_map(pod::scraped_at));
    ObjectMeta { annotations: Some(annotations), ..ObjectMeta::default() }
}

fn pod_spec(config: &InstallationConfig) -> PodSpec {
    PodSpec {
        affinity: affinity::real_nodes(config.cluster.provider),
        containers: vec![calico_node::calico_node(config)],
        // The cluster's DNS is reached through what this pod sets up.
        dns_policy: Some("Default".into()),
        host_aliases: config.goldmane.as_ref().and_then(goldmane),
        host_network: Some(true),
        init_containers: some(init_containers(config)),
        priority_class_name: Some(PRIORITY_NODE_CRITICAL.into()),
        service_account_name: Some(NODE.into()),
        termination_grace_period_seconds: Some(GRACE_SECONDS),
        tolerations: toleration::everything(),
        volumes: Some(volumes::all(config)),
        ..PodSpec::default()
    }
}

/// The name stands in its certificate, and hosts cannot resolve it.
fn goldmane(collector: &Collector) -> Option<Vec<HostAlias>> {
    let ip = collector.address.clone()?;
    Some(vec![HostAlias { hostnames: Some(vec![crate::goldmane::host()]), ip }])
}

/// In the order that they run in.
fn init_containers(config: &InstallationConfig) -> Vec<Container> {
    let subject = Subject { common_name: NODE_NAME, dns_names: &[NODE_NAME] };
    let pair = &config.certificates.node;
    let cni = spec::calico_cni(&config.spec);
    let mut containers = Vec::new();
    containers.extend(certificates::provisioner(config, pair, subject, security_context::privileged()));
    containers.extend(spec::flex_volume_path(&config.spec).map(|_| flexvol::flexvol(config)));
    containers.push(ebpf_bootstrap::ebpf_bootstrap(config));
    // What the installer copies must have been put there before.
    let reference_plugins = cni.filter(|cni| spec::installs_reference_plugins(cni));
    containers.extend(reference_plugins.map(|_| cni_plugins::cni_plugins(config)));
    containers.extend(cni.map(|cni| install_cni::install_cni(config, cni)));
    containers
}
