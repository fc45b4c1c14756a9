//! From what was read to a config that can be rendered, or everything that is wrong with it.

use chimera_core::api_server::{self, ApiServerConfig};
use chimera_core::component::Readiness;
use chimera_core::following::Resource;
use chimera_core::message::Message;
use chimera_core::names::{API_SERVER, CALICO_SYSTEM, WEBHOOKS};
use chimera_core::object::ObjectKey;

use super::super::following;
use super::answer;
use super::dereference::Found;
use crate::context::Context;
use crate::watch::workloads::Rollout;

/// What can be rendered.
pub(super) struct Validated {
    /// The config.
    pub(super) config: ApiServerConfig,
    /// Whether what everything here builds on is there.
    pub(super) readiness: Readiness,
    /// Whether what answers runs.
    pub(super) is_running: bool,
    /// What to tell besides what apply comes to.
    pub(super) told: Vec<Message>,
}

/// Checks.
pub(super) fn run(found: Found, context: &Context) -> Result<Validated, Vec<Message>> {
    let Found { own, inputs, api_service } = found;
    let installation = following::config(&inputs, context)?;
    let resource = Resource { kind: "APIServer", owner: own.owner() };
    let mut told = own.warnings();
    let spec = own.resource.spec;
    let mut config = api_server::validate((resource, spec), &inputs, installation, context.env())?;
    let is_running = is_running(context, config.has_webhooks());
    if !config.has_webhooks() {
        let live = api_service.as_deref();
        let others = answer::of_others(live);
        config.is_answered_by_others = others.is_some();
        told.extend(others.or_else(|| answer::missing(live, is_running, context.clock.now())));
    }
    told.append(&mut config.warnings.clone());
    Ok(Validated { config, readiness: following::readiness(&inputs, context), is_running, told })
}

fn is_running(context: &Context, has_webhooks: bool) -> bool {
    let name = if has_webhooks { WEBHOOKS } else { API_SERVER };
    let key = ObjectKey::namespaced("apps/v1", "Deployment", CALICO_SYSTEM, name);
    context.workloads.rollout(&key).as_ref().is_some_and(Rollout::complete)
}
