//! calico-node on each Windows node, after the containers that prepare the node for it.

mod containers;
pub(super) mod directories;
mod environment;
mod init_containers;
mod volumes;

use chimera_crds::installation::{CniType, InstallationSpec};
use k8s_openapi::api::apps::v1::{DaemonSet, DaemonSetSpec};
use k8s_openapi::api::core::v1::{ConfigMap, PodSpec, SecurityContext, WindowsSecurityContextOptions};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::hash;
use crate::names::{CNI_CONFIG_HASH, NODE, NODE_WINDOWS, PRIORITY_NODE_CRITICAL};
use crate::render::pod::{self, affinity, some, toleration};
use crate::render::{meta, spec};
use crate::windows::WindowsConfig;

/// Traffic goes on while calico-node restarts, so nothing is gained by waiting.
const GRACE_SECONDS: i64 = 5;
/// Where the image of such a pod is found, for PowerShell.
const MOUNT_POINT: &str = "$env:CONTAINER_SANDBOX_MOUNT_POINT";

/// The DaemonSet. Its pods restart when the CNI configuration changes.
pub(super) fn node(config: &WindowsConfig, cni_config: Option<&ConfigMap>) -> DaemonSet {
    let installation = &config.installation;
    DaemonSet {
        metadata: meta::calico_system(NODE_WINDOWS),
        spec: Some(DaemonSetSpec {
            template: pod::template(installation, pod_metadata(config, cni_config), pod_spec(config)),
            update_strategy: installation.spec.node_update_strategy.clone(),
            ..DaemonSetSpec::default()
        }),
        ..DaemonSet::default()
    }
}

fn pod_metadata(config: &WindowsConfig, cni_config: Option<&ConfigMap>) -> ObjectMeta {
    let installation = &config.installation;
    let mut annotations = installation.certificates.bundle.annotations();
    let data = cni_config.and_then(|cni_config| cni_config.data.as_ref());
    annotations.extend(data.map(|data| (CNI_CONFIG_HASH.into(), hash::of_map(data))));
    annotations.extend(installation.spec.node_metrics_port.into_iter().flat_map(pod::scraped_at));
    ObjectMeta { annotations: Some(annotations), ..ObjectMeta::default() }
}

fn pod_spec(config: &WindowsConfig) -> PodSpec {
    PodSpec {
        affinity: affinity::real_nodes(config.installation.cluster.provider),
        containers: containers::all(config),
        host_network: Some(true),
        init_containers: some(init_containers::all(config)),
        priority_class_name: Some(PRIORITY_NODE_CRITICAL.into()),
        service_account_name: Some(NODE.into()),
        termination_grace_period_seconds: Some(GRACE_SECONDS),
        tolerations: toleration::everything(),
        volumes: Some(volumes::all(&config.installation)),
        ..PodSpec::default()
    }
}

/// Runs on the host itself, as its most powerful account: there are no privileged containers.
fn host_process() -> SecurityContext {
    let options = WindowsSecurityContextOptions {
        host_process: Some(true),
        run_as_user_name: Some("NT AUTHORITY\\system".into()),
        ..WindowsSecurityContextOptions::default()
    };
    SecurityContext { windows_options: Some(options), ..SecurityContext::default() }
}

/// A file of the image.
fn image_file(path: &str) -> String {
    format!("{MOUNT_POINT}/{path}")
}

/// Who programs routes between nodes.
pub(super) fn backend(spec: &InstallationSpec) -> &'static str {
    if spec::bgp(spec) {
        "windows-bgp"
    } else if spec::uses_pod_cidr(spec) || spec::cni_type(spec) != CniType::Calico {
        // The platform.
        "none"
    } else {
        "vxlan"
    }
}
