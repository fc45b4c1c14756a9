//! From the config to components.

use chimera_core::component::Component;
use chimera_core::message::Message;
use chimera_core::render::{Error, whisker};

use super::validate::Validated;

/// The component, and that of its network policy in a cluster that takes such.
pub(super) fn run(validated: &Validated) -> Result<Vec<Component>, Vec<Message>> {
    let Validated { config, readiness, takes_policies, warnings: _ } = validated;
    let mut components = vec![whisker::component(config).map_err(Error::messages)?];
    if *takes_policies {
        components.push(whisker::policy(config).map_err(Error::messages)?);
    }
    Ok(components.into_iter().map(|component| component.when(readiness.clone())).collect())
}
