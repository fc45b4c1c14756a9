//! From what was read to a config that can be rendered.

use chimera_core::installation::inputs::InstallationInputs;
use chimera_core::message::Message;
use chimera_core::tiers::TiersConfig;

use super::super::following;
use crate::context::Context;

/// The tier asks for nothing that the Installation does not say.
pub(super) fn run(inputs: &InstallationInputs, context: &Context) -> Result<TiersConfig, Vec<Message>> {
    following::config(inputs, context).map(TiersConfig::new)
}
