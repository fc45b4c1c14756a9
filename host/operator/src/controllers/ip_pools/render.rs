//! From the config to one component of pools.

use chimera_core::codes;
use chimera_core::component::Component;
use chimera_core::ip_pools;
use chimera_core::message::Message;

use super::validate::Validated;

/// Name of the component.
const COMPONENT: &str = "ip-pools";

/// Pools are as much the user's, so the component is shared: no owner, no further labels.
pub(super) fn run(validated: &Validated) -> Result<Vec<Component>, Message> {
    let Validated { config, existing } = validated;
    let pools = ip_pools::render(&config.spec, existing, config.cluster.api_group)
        .map_err(|error| Message::new(&codes::RENDER_FAILED, error.to_string()).on("IPPools"))?;
    Ok(vec![Component::new(COMPONENT, pools.objects).deleting(pools.deletions).shared()])
}
