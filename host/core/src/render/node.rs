//! calico-node: Felix, BIRD and confd on each node, and what installs the CNI plugin there.

mod cluster_role;
mod cluster_role_binding;
pub(crate) mod cni_config;
mod config_map;
mod daemon_set;
mod service_account;

use chimera_crds::installation::Provider;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::rbac::v1::ClusterRoleBinding;

pub(crate) use daemon_set::environment;

use super::objects::Objects;
use super::{Error, rbac};
use crate::certificates::Source;
use crate::component::{Component, Readiness};
use crate::installation::config::InstallationConfig;
use crate::names::{CALICO_SYSTEM, CNI_CONFIG, GOLDMANE, NODE};

/// Name of the component.
pub const COMPONENT: &str = NODE;

/// Renders the component.
pub(super) fn component(config: &InstallationConfig) -> Result<Component, Error> {
    let mut objects = Objects::default();
    rbac(&mut objects, config)?;
    let cni_config = config_map::cni_config(config)?;
    match &cni_config {
        Some(cni_config) => objects.create(cni_config)?,
        None => objects.delete::<ConfigMap>(CNI_CONFIG),
    }
    objects.create(&daemon_set::node(config, cni_config.as_ref()))?;
    Ok(objects.component(COMPONENT).when(readiness(config)))
}

/// Each change of the pods restarts them, so what is known within a moment is waited for.
fn readiness(config: &InstallationConfig) -> Readiness {
    match &config.goldmane {
        Some(collector) if collector.is_awaited => {
            Readiness::Waiting(format!("Service {CALICO_SYSTEM}/{GOLDMANE} has no address yet"))
        }
        _ => Readiness::Ready,
    }
}

fn rbac(objects: &mut Objects, config: &InstallationConfig) -> Result<(), Error> {
    objects.create(&service_account::node())?;
    objects.create(&service_account::cni_plugin())?;
    objects.create(&cluster_role::node(config.cluster.provider))?;
    objects.create(&cluster_role_binding::node())?;
    objects.create(&cluster_role::cni_plugin())?;
    objects.create(&cluster_role_binding::cni_plugin())?;
    match config.cluster.provider {
        Provider::DockerEnterprise => objects.create(&cluster_role_binding::cluster_admin())?,
        _ => objects.delete_from_cluster::<ClusterRoleBinding>(cluster_role_binding::CLUSTER_ADMIN),
    }
    match config.certificates.node.source() {
        Source::Requested(_) => objects.create(&rbac::csr_creator_binding(NODE))?,
        _ => objects.delete_from_cluster::<ClusterRoleBinding>(&rbac::csr_creator_binding_name(NODE)),
    }
    Ok(())
}
