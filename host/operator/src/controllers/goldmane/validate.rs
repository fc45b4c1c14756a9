//! From what was read to a config that can be rendered, or everything that is wrong with it.

use chimera_core::component::Readiness;
use chimera_core::goldmane::{self, GoldmaneConfig};
use chimera_core::message::Message;

use super::dereference::Found;
use crate::context::Context;
use crate::controllers::following;

/// What can be rendered.
pub(super) struct Validated {
    pub(super) config: GoldmaneConfig,
    pub(super) readiness: Readiness,
    pub(super) takes_policies: bool,
    pub(super) warnings: Vec<Message>,
}

/// Checks.
pub(super) fn run(found: Found, context: &Context) -> Result<Validated, Vec<Message>> {
    let Found { own, inputs, is_managed } = found;
    let installation = following::config(&inputs, context)?;
    let config = goldmane::validate(&own.resource, installation, &inputs, is_managed, context.env())?;
    let warnings = own.warnings().into_iter().chain(config.warnings.iter().cloned()).collect();
    let readiness = following::readiness(&inputs, context);
    Ok(Validated { config, readiness, takes_policies: inputs.takes_policies, warnings })
}
