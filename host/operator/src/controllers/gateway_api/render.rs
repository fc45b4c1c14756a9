//! From the config to components.

use chimera_core::component::{Component, Readiness};
use chimera_core::gateway_api::GatewayApiConfig;
use chimera_core::message::Message;
use chimera_core::object::Object;
use chimera_core::render::{Error, gateway_api};

/// Definitions, the controller, and classes.
pub(super) fn run(
    config: &GatewayApiConfig,
    definitions: Vec<Object>,
    readiness: &Readiness,
) -> Result<Vec<Component>, Vec<Message>> {
    gateway_api::components(config, definitions, readiness).map_err(Error::messages)
}
