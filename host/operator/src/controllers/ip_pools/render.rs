//! From the config to one component of pools.

use chimera_core::codes;
use chimera_core::component::Component;
use chimera_core::ip_pools::{self, Kept, Usage};
use chimera_core::message::Message;

use super::validate::Validated;

/// Name of the component.
const COMPONENT: &str = "ip-pools";

/// The component, and what is to be said of pools that are in use.
pub(super) struct Rendered {
    pub(super) components: Vec<Component>,
    pub(super) messages: Vec<Message>,
}

/// Pools are as much the user's, so the component is shared: no owner, no further labels.
pub(super) fn run(validated: &Validated) -> Result<Rendered, Message> {
    let Validated { config, existing, usage } = validated;
    let pools = ip_pools::render(&config.spec, existing, config.cluster.api_group)
        .map_err(|error| Message::new(&codes::RENDER_FAILED, error.to_string()).on("IPPools"))?;
    // Without an answer nothing is deleted; the next look has one.
    let unknown = Usage::Unknown("it was not looked at yet".into());
    let Kept { pools, messages } = ip_pools::keep_used(pools, existing, usage.as_ref().unwrap_or(&unknown));
    let component = Component::new(COMPONENT, pools.objects).deleting(pools.deletions).shared();
    Ok(Rendered { components: vec![component], messages })
}
