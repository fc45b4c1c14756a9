//! From the config to components.

use chimera_core::component::{Component, Readiness};
use chimera_core::istio::IstioConfig;
use chimera_core::message::Message;
use chimera_core::object::Object;
use chimera_core::render::{Error, istio};

/// Definitions, what Felix must know, and the mesh.
pub(super) fn run(
    config: &IstioConfig,
    definitions: Vec<Object>,
    readiness: &Readiness,
) -> Result<Vec<Component>, Vec<Message>> {
    istio::components(config, definitions, readiness).map_err(Error::messages)
}
