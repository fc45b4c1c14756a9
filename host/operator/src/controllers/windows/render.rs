//! From the config to one component.

use chimera_core::component::Component;
use chimera_core::message::Message;
use chimera_core::render::{Error, windows};

use super::validate::Validated;

/// The component, or its removal.
pub(super) fn run(validated: &Validated) -> Result<Vec<Component>, Vec<Message>> {
    match validated {
        Validated::Wanted(config, readiness) => {
            let component = windows::component(config, readiness.clone()).map_err(Error::messages)?;
            Ok(vec![component])
        }
        Validated::Unwanted(_) => Ok(vec![windows::nothing()]),
    }
}
