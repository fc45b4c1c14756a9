//! From the config to the components.

use chimera_core::component::Component;
use chimera_core::message::Message;
use chimera_core::render::{Error, api_server};

use super::validate::Validated;

/// The components, which wait for what they build on.
pub(super) fn run(validated: &Validated) -> Result<Vec<Component>, Vec<Message>> {
    let mut components = api_server::components(&validated.config).map_err(Error::messages)?;
    // Until somebody else answers, they do.
    if validated.is_running {
        components.push(api_server::former());
    }
    Ok(components.into_iter().map(|component| component.when(validated.readiness.clone())).collect())
}
