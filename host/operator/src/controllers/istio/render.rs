//! From the config to components.

use chimera_core::component::{Component, Readiness};
use chimera_core::istio::IstioConfig;
use chimera_core::message::Message;
use chimera_core::object::Object;
use chimera_core::render::{Error, istio};

/// Definitions, what Felix must know, the mesh, and its network policies in a cluster that takes such.
pub(super) fn run(
    config: &IstioConfig,
    definitions: Vec<Object>,
    readiness: &Readiness,
    takes_policies: bool,
) -> Result<Vec<Component>, Vec<Message>> {
    let mut components = istio::components(config, definitions, readiness).map_err(Error::messages)?;
    if takes_policies {
        components.push(istio::policies(config).map_err(Error::messages)?.when(readiness.clone()));
    }
    Ok(components)
}
