//! From what was read to a config that can be rendered, or everything that is wrong with it.

use chimera_core::component::Readiness;
use chimera_core::gateway_api::{self, GatewayApiConfig};
use chimera_core::message::Message;
use chimera_core::object::Object;

use super::dereference::Found;
use crate::context::Context;
use crate::controllers::following;

/// What can be rendered.
pub(super) struct Validated {
    pub(super) config: GatewayApiConfig,
    /// Apart from the config, since they are long and only passed on.
    pub(super) definitions: Vec<Object>,
    pub(super) readiness: Readiness,
    pub(super) warnings: Vec<Message>,
}

/// Checks.
pub(super) fn run(found: Found, context: &Context) -> Result<Validated, Vec<Message>> {
    let Found { mut warnings, mut inputs, installation } = found;
    let config = following::config(&installation, context)?;
    let definitions = std::mem::take(&mut inputs.bundle.definitions);
    let config = gateway_api::validate(inputs, config)?;
    warnings.extend(config.warnings.iter().cloned());
    Ok(Validated { config, definitions, readiness: following::readiness(&installation, context), warnings })
}
