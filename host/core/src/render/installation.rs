//! All components of an Installation.

use super::{Error, csi, felix, kube_controllers, namespaces, node, secrets, typha};
use crate::component::Component;
use crate::installation::config::InstallationConfig;

/// Renders them, in the order that they are applied in: what others refer to comes first.
///
/// # Errors
/// If an object cannot be turned into JSON, naming its kind.
pub fn components(config: &InstallationConfig) -> Result<Vec<Component>, Error> {
    Ok(vec![
        namespaces::component(config)?,
        secrets::component(config)?,
        felix::component(config),
        typha::component(config)?,
        node::component(config)?,
        csi::component(config)?,
        kube_controllers::component(config)?,
    ])
}
