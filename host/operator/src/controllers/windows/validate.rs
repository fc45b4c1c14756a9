//! From what was read to a config that can be rendered, or everything that is wrong with it.

use chimera_core::certificates::{CA_SECRET, NODE_SECRET, TYPHA_SECRET};
use chimera_core::component::Readiness;
use chimera_core::installation::config::InstallationConfig;
use chimera_core::installation::defaults::effective;
use chimera_core::installation::inputs::InstallationInputs;
use chimera_core::message::Message;
use chimera_core::names::CALICO_SYSTEM;
use chimera_core::windows::WindowsConfig;
use chimera_core::{codes, installation, windows};

use super::super::installation::dereference::Found;
use super::dereference::FoundWindows;
use crate::context::Context;

/// What the Installation says of Windows nodes.
pub(super) enum Validated {
    /// Calico is to run there, once it can.
    Wanted(Box<WindowsConfig>, Readiness),
    /// Calico is not to run there any more.
    Unwanted(Box<InstallationConfig>),
}

impl Validated {
    /// The Installation's config.
    pub(super) fn into_installation(self) -> InstallationConfig {
        match self {
            Self::Wanted(config, _) => config.installation,
            Self::Unwanted(config) => *config,
        }
    }
}

/// None if Calico is not to run on Windows nodes and nothing of it is there.
pub(super) fn run(found: FoundWindows, context: &Context) -> Result<Option<Validated>, Vec<Message>> {
    let FoundWindows { installation: Found { subject: _, inputs, strays: _ }, namespace, remains } = found;
    let is_wanted = windows::is_wanted(&effective(&inputs));
    if !is_wanted && !remains {
        return Ok(None);
    }
    match installation::validate(&inputs, context.env()) {
        Ok(config) if is_wanted => {
            let config = windows::validate(&inputs, config)?;
            Ok(Some(Validated::Wanted(Box::new(config), readiness(&inputs, context, namespace))))
        }
        Ok(config) => Ok(Some(Validated::Unwanted(Box::new(config)))),
        Err(_) if is_wanted => Err(vec![refused()]),
        // What remains goes once the Installation can be served again.
        Err(_) => Ok(None),
    }
}

/// What is wrong is told by the controller of the Installation.
fn refused() -> Message {
    let detail = "it cannot be served, see TigeraStatus calico; Windows nodes stay as they are";
    Message::new(&codes::INSTALLATION_REFUSED, detail).on("Installation default")
}

/// Key pairs are issued by the controller of the Installation alone; rendering with others would restart pods at once.
fn readiness(inputs: &InstallationInputs, context: &Context, namespace: bool) -> Readiness {
    if !namespace {
        return Readiness::Waiting(format!("Namespace {CALICO_SYSTEM} is not there yet"));
    }
    let missing = [CA_SECRET, NODE_SECRET, TYPHA_SECRET].into_iter().find(|name| !inputs.secrets.contains_key(*name));
    match missing {
        Some(name) => Readiness::Waiting(format!("Secret {}/{name} is not there yet", context.settings.namespace)),
        None => Readiness::Ready,
    }
}
