//! From what was read to a config whose pools can be rendered, or what is wrong with them.

use chimera_core::codes;
use chimera_core::installation;
use chimera_core::installation::config::InstallationConfig;
use chimera_core::ip_pools::Usage;
use chimera_core::message::Message;
use chimera_core::object::Object;

use super::super::installation::dereference::Found;
use super::dereference::FoundPools;
use crate::context::Context;

/// Fields that are this controller's matter.
const POOLS: &str = "spec.calicoNetwork.ipPools";

/// The config, and the pools that are there.
pub(super) struct Validated {
    pub(super) config: InstallationConfig,
    pub(super) existing: Vec<Object>,
    /// What they are used for, if it matters.
    pub(super) usage: Option<Usage>,
}

impl Validated {
    /// What is odd about the pools.
    pub(super) fn warnings(&self) -> impl Iterator<Item = Message> {
        self.config.warnings.iter().filter(|message| is_own(message)).cloned()
    }
}

pub(super) fn run(found: FoundPools, context: &Context) -> Result<Validated, Vec<Message>> {
    let FoundPools { found: Found { subject: _, inputs, strays: _ }, usage } = found;
    let config = installation::validate(&inputs, context.env()).map_err(|rejected| own(rejected.0))?;
    Ok(Validated { config, existing: inputs.ip_pools, usage })
}

/// Whether a message is about the pools.
pub(in crate::controllers) fn is_own(message: &Message) -> bool {
    message.field_path().is_some_and(|field| field.starts_with(POOLS))
}

/// What is wrong with the pools; if it is something else, that the pools wait for it.
fn own(messages: Vec<Message>) -> Vec<Message> {
    let own: Vec<_> = messages.into_iter().filter(is_own).collect();
    if !own.is_empty() {
        return own;
    }
    let detail = "it cannot be served, see TigeraStatus calico; the pools stay as they are";
    vec![Message::new(&codes::INSTALLATION_REFUSED, detail).on("Installation default")]
}
