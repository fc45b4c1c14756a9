//! From the config to components.

use chimera_core::component::Component;
use chimera_core::installation::config::InstallationConfig;
use chimera_core::message::Message;
use chimera_core::render::{Error, installation};

/// All components, in the order that they are applied in.
pub(super) fn run(config: &InstallationConfig) -> Result<Vec<Component>, Vec<Message>> {
    installation::components(config).map_err(Error::messages)
}
