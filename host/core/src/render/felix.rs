//! FelixConfiguration `default`: the operator's fields beside the user's.

use crate::component::Component;
use crate::installation::config::InstallationConfig;

/// Name of the component.
pub const COMPONENT: &str = "felix-configuration";

/// Renders the component. The object is as much the user's, so it gets no owner and no labels.
pub(super) fn component(config: &InstallationConfig) -> Component {
    Component::new(COMPONENT, vec![config.felix_configuration.clone()]).shared()
}
