//! From what was read to a config that can be rendered, or everything that is wrong with it.

use chimera_core::codes;
use chimera_core::installation;
use chimera_core::installation::config::InstallationConfig;
use chimera_core::message::Message;

use super::dereference::Found;
use crate::context::Context;

/// The config, and a warning for each Installation that is not served.
pub(super) fn run(found: Found, context: &Context) -> Result<(InstallationConfig, Vec<Message>), Vec<Message>> {
    let Found { subject: _, inputs, strays } = found;
    let config = installation::validate(&inputs, context.env()).map_err(|rejected| rejected.0)?;
    Ok((config, strays.iter().map(|name| stray(name)).collect()))
}

fn stray(name: &str) -> Message {
    Message::new(&codes::STRAY_INSTALLATION, "it is ignored: the operator serves the one named `default`")
        .on(format!("Installation {name}"))
        .field("metadata.name")
}
