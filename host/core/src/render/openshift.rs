//! OpenShift's Network `cluster`, whose status tells the platform that Calico runs.

use crate::component::Component;
use crate::installation::config::InstallationConfig;

/// Name of the component.
pub const COMPONENT: &str = "openshift-network";

/// Renders the component. The object is the platform's, so it gets no owner and no labels.
pub(super) fn component(config: &InstallationConfig) -> Component {
    Component::new(COMPONENT, config.openshift_network.iter().cloned().collect()).shared()
}
