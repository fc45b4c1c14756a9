//! The CSI driver: gives pods a socket to the policies of their node.

mod csi_driver;
mod daemon_set;
mod role;
mod role_binding;
mod service_account;

use chimera_crds::installation::Provider;
use k8s_openapi::api::apps::v1::DaemonSet;
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use k8s_openapi::api::storage::v1::CSIDriver;

use super::objects::Objects;
use super::{Error, spec};
use crate::component::Component;
use crate::installation::config::InstallationConfig;
use crate::names::{CSI_DRIVER, CSI_NODE_DRIVER};

/// Name of the component.
pub const COMPONENT: &str = CSI_NODE_DRIVER;

/// Renders the component: the driver, or its removal where the user wants none.
pub(super) fn component(config: &InstallationConfig) -> Result<Component, Error> {
    let mut objects = Objects::default();
    match spec::kubelet_path(&config.spec) {
        Some(kubelet) => create(&mut objects, config, kubelet)?,
        None => delete(&mut objects),
    }
    Ok(objects.component(COMPONENT))
}

fn create(objects: &mut Objects, config: &InstallationConfig, kubelet: &str) -> Result<(), Error> {
    objects.create(&service_account::csi_node_driver())?;
    if config.cluster.provider == Provider::OpenShift {
        objects.create(&role::csi_node_driver())?;
        objects.create(&role_binding::csi_node_driver())?;
    } else {
        delete_role(objects);
    }
    objects.create(&csi_driver::csi_driver(config.cluster.provider))?;
    objects.create(&daemon_set::csi_node_driver(config, kubelet))
}

fn delete(objects: &mut Objects) {
    objects.delete::<DaemonSet>(CSI_NODE_DRIVER);
    objects.delete_from_cluster::<CSIDriver>(CSI_DRIVER);
    delete_role(objects);
    objects.delete::<ServiceAccount>(CSI_NODE_DRIVER);
}

fn delete_role(objects: &mut Objects) {
    objects.delete::<RoleBinding>(CSI_NODE_DRIVER);
    objects.delete::<Role>(CSI_NODE_DRIVER);
}
