//! What goes with the answers: nothing of the core, but plugins may add to it, such as rights of who else may ask.

use chimera_core::component::Component;
use chimera_core::csr::CsrConfig;

/// Name of the component.
const COMPONENT: &str = "csr";

/// The component.
pub(super) fn run(_config: &CsrConfig) -> Vec<Component> {
    vec![Component::new(COMPONENT, Vec::new())]
}
