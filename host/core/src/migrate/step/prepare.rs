//! Before any node moves.

use super::{Action, Mark, Observation, OldNodes, Plan, Withheld};
use crate::codes;
use crate::message::Message;
use crate::migrate::names;

/// None once everything is prepared.
pub(super) fn prepare(old: OldNodes, seen: &Observation) -> Option<Plan> {
    let waiting = |detail: &str, actions: Vec<Action>| {
        let withheld = Withheld { node: true, kube_controllers: true };
        let messages = vec![Message::new(&codes::MIGRATING, detail).on(names::node())];
        Some(Plan { actions, withheld, confined: true, messages })
    };
    if !seen.remembered {
        return waiting("what the manifest install has set is being recorded", Vec::new());
    }
    if let Some(fields) = &seen.missing_felix {
        let actions = vec![Action::Settle(fields.clone())];
        return waiting("what its variables say of Felix goes into FelixConfiguration default", actions);
    }
    let rights: Vec<_> = seen.missing_rights.iter().cloned().map(Box::new).map(Action::Create).collect();
    if !rights.is_empty() {
        return waiting("its pods get rights of their own until they are gone", rights);
    }
    if !old.confined {
        // Where it runs no pod, for whatever reason, there is nothing to move.
        let unmarked = seen.nodes.iter().filter(|node| node.mark.is_none() && node.old_pod.is_some());
        let mark = unmarked.map(|node| Action::Mark(node.name.clone(), Mark::PreOperator));
        return waiting("it is kept to the nodes that it serves now", mark.chain([Action::Confine]).collect());
    }
    if !old.observed {
        return waiting("its controller has not seen yet that it is kept to the nodes that it serves", Vec::new());
    }
    None
}
