//! Moves the nodes of a manifest install to the operator's own DaemonSet. What to do is said by
//! [`chimera_core::migrate::step`]; here the cluster is looked at and changed.
//!
//! Without a manifest install nothing is read and nothing is changed.

mod act;
mod confined;
mod observe;

use std::time::Duration;

use chimera_core::installation::InstallationInputs;
use chimera_core::installation::config::InstallationConfig;
use chimera_core::message::Message;
use chimera_core::migrate::{self, Manifest, Plan, Withheld};
use chimera_core::names::{KUBE_CONTROLLERS, NODE};
use chimera_core::object::Object;

use crate::context::Context;
use crate::controllers::applying::Extension;
use crate::controllers::driver::Outcome;
use crate::controllers::health::Applied;

pub(crate) use observe::nodes;
pub(super) use observe::read;

/// While nodes move, pods of other namespaces are looked at this often: they are not watched.
const PACE: Duration = Duration::from_secs(2);

/// What the move depends on besides the state of the cluster.
pub(super) struct Old {
    manifest: Manifest,
    remembered: bool,
    missing_felix: Option<Box<Object>>,
}

impl Old {
    /// From what was read.
    pub(super) fn of(inputs: &InstallationInputs) -> Self {
        let status = inputs.installation.status.as_ref();
        let remembered = status.is_some_and(|status| status.defaults.is_some());
        let missing_felix = inputs.manifest.is_install().then(|| migrate::convert(inputs).felix);
        let missing_felix =
            missing_felix.and_then(|felix| migrate::missing_felix(&felix, inputs.felix.as_ref(), inputs.api_group));
        Self { manifest: inputs.manifest.clone(), remembered, missing_felix: missing_felix.map(Box::new) }
    }
}

/// How soon to look again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// As the rest says.
    Usual,
    /// Soon, since nodes move.
    Moving,
}

impl Pace {
    /// The outcome of the reconcile at this pace.
    pub(super) fn keep(self, outcome: Outcome) -> Outcome {
        match (self, outcome) {
            (Self::Moving, Outcome::Settled) => Outcome::Again(PACE),
            (Self::Moving, Outcome::Again(pause)) => Outcome::Again(pause.min(PACE)),
            (_, outcome) => outcome,
        }
    }
}

/// What comes of one look.
pub(super) struct Migration {
    /// Components that may be applied now.
    pub(super) components: Vec<Extension>,
    /// What to tell.
    pub(super) told: Option<Applied>,
    /// How soon to look again.
    pub(super) pace: Pace,
}

/// Takes the next step, and holds back or confines what must not be everywhere yet.
pub(super) async fn run(
    context: &Context,
    config: &InstallationConfig,
    old: &Old,
    components: Vec<Extension>,
) -> Migration {
    let plan = match observe::run(context, config, old).await {
        Ok(Some(seen)) => migrate::step(&seen),
        Ok(None) => Plan::default(),
        // Not to know is as good as a node that is still served by the old install.
        Err(message) => {
            let withheld = Withheld { node: true, kube_controllers: true };
            Plan { withheld, confined: true, messages: vec![message], ..Plan::default() }
        }
    };
    let failed = act::run(context, &plan.actions).await.err();
    let moving = plan != Plan::default();
    let components = hold_back(context, config, &plan, components).await;
    let messages: Vec<Message> = plan.messages.into_iter().chain(failed).collect();
    Migration {
        components,
        told: moving.then(|| Applied { messages, ..Applied::default() }),
        pace: if moving { Pace::Moving } else { Pace::Usual },
    }
}

/// Gives nodes back to the manifest install while the Installation is being deleted; a message tells what is left to do.
pub(super) async fn give_back(context: &Context) -> Result<Option<Message>, Message> {
    let Some(plan) = observe::back(context).await? else { return Ok(None) };
    act::run(context, &plan.actions).await?;
    Ok(plan.messages.into_iter().next())
}

async fn hold_back(
    context: &Context,
    config: &InstallationConfig,
    plan: &Plan,
    components: Vec<Extension>,
) -> Vec<Extension> {
    let mut kept = Vec::new();
    for (name, component) in components {
        match name {
            NODE if plan.withheld.node => {}
            KUBE_CONTROLLERS if plan.withheld.kube_controllers => {}
            NODE => kept.push((name, confined::node(context, config, plan.confined, component).await)),
            _ => kept.push((name, component)),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn while_nodes_move_the_next_look_is_soon_but_a_failure_backs_off() {
        let long = Duration::from_secs(60);
        assert_eq!(Pace::Moving.keep(Outcome::Settled), Outcome::Again(PACE));
        assert_eq!(Pace::Moving.keep(Outcome::Again(long)), Outcome::Again(PACE));
        assert_eq!(Pace::Moving.keep(Outcome::Failed), Outcome::Failed);
        assert_eq!(Pace::Usual.keep(Outcome::Again(long)), Outcome::Again(long));
    }
}
