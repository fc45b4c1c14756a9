//! BGPConfiguration `default`: the operator's fields beside the user's.

use crate::component::Component;
use crate::installation::config::InstallationConfig;

/// Name of the component.
pub const COMPONENT: &str = "bgp-configuration";

/// Renders the component, which is mostly empty. The object is as much the user's, so it gets no owner and no labels.
pub(super) fn component(config: &InstallationConfig) -> Component {
    Component::new(COMPONENT, config.bgp_configuration.iter().cloned().collect()).shared()
}
