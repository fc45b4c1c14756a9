//! From the config to components.

use chimera_core::component::Component;
use chimera_core::message::Message;
use chimera_core::render::{Error, goldmane};

use super::validate::Validated;

/// The component, and that of its network policy in a cluster that takes such.
pub(super) fn run(validated: &Validated) -> Result<Vec<Component>, Vec<Message>> {
    let Validated { config, readiness, takes_policies, warnings: _ } = validated;
    let mut components = vec![goldmane::component(config).map_err(Error::messages)?];
    if *takes_policies {
        components.push(goldmane::policy(config).map_err(Error::messages)?);
    }
    Ok(components.into_iter().map(|component| component.when(readiness.clone())).collect())
}
