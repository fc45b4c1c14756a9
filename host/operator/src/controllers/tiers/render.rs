//! From the config to the one component.

use chimera_core::component::Component;
use chimera_core::message::Message;
use chimera_core::render::{Error, tiers};
use chimera_core::tiers::TiersConfig;

/// The component.
pub(super) fn run(config: &TiersConfig) -> Result<Vec<Component>, Vec<Message>> {
    Ok(vec![tiers::component(config).map_err(Error::messages)?])
}
