//! All components of an Installation.

use super::{
    Error, bgp, csi, felix, kube_controllers, namespaces, node, openshift, policies, refuse_unknown_containers,
    secrets, typha,
};
use crate::component::Component;
use crate::installation::config::InstallationConfig;

/// Renders them, in the order that they are applied in: what others refer to comes first.
///
/// # Errors
/// If an object cannot be turned into JSON, naming its kind; or the overrides name containers that are not there.
pub fn components(config: &InstallationConfig) -> Result<Vec<Component>, Error> {
    let mut components = vec![
        namespaces::component(config)?,
        secrets::component(config)?,
        felix::component(config),
        bgp::component(config),
        typha::component(config)?,
        node::component(config)?,
        csi::component(config)?,
        kube_controllers::component(config)?,
        openshift::component(config),
    ];
    if config.takes_policies {
        components.push(policies::component(config)?);
    }
    refuse_unknown_containers(config, &components)?;
    Ok(components)
}
