//! Calico on Windows nodes: one DaemonSet with what sets a node up, Felix, and BGP where it is on.
//!
//! Identity and rights are those of calico-node on Linux, which renders them.

mod cni_config;
mod config_map;
mod daemon_set;

use k8s_openapi::api::apps::v1::DaemonSet;
use k8s_openapi::api::core::v1::ConfigMap;

use super::Error;
use super::objects::Objects;
use crate::component::{Component, Os, Readiness};
use crate::names::{CNI_CONFIG_WINDOWS, NODE_WINDOWS};
use crate::windows::WindowsConfig;

/// Name of the component.
pub const COMPONENT: &str = NODE_WINDOWS;

/// Renders the component, to be applied once ready.
///
/// # Errors
/// If an object cannot be turned into JSON, or an override names a container that is not there.
pub fn component(config: &WindowsConfig, readiness: Readiness) -> Result<Component, Error> {
    let mut objects = Objects::default();
    let cni_config = config_map::cni_config(config)?;
    match &cni_config {
        Some(cni_config) => objects.create(cni_config)?,
        None => objects.delete::<ConfigMap>(CNI_CONFIG_WINDOWS),
    }
    objects.create(&daemon_set::node(config, cni_config.as_ref()))?;
    let component = objects.component(COMPONENT).on(Os::Windows).when(readiness);
    super::refuse_unknown_containers(&config.installation, std::slice::from_ref(&component))?;
    Ok(component)
}

/// The component where Calico does not run on Windows nodes: nothing of it is left.
pub fn nothing() -> Component {
    let mut objects = Objects::default();
    objects.delete::<DaemonSet>(NODE_WINDOWS);
    objects.delete::<ConfigMap>(CNI_CONFIG_WINDOWS);
    objects.component(COMPONENT).on(Os::Windows)
}
