//! One node after another.

use std::time::Duration;

use super::{Action, Mark, NodeState, Observation, PATIENCE, Plan, Withheld};
use crate::codes;
use crate::message::Message;
use crate::migrate::names::{self, kube_controllers, typha};

/// The next change.
pub(super) fn next(seen: &Observation) -> Plan {
    let mut plan = Plan { confined: true, ..Plan::default() };
    controllers(seen, &mut plan);
    old_typha(seen, &mut plan);
    let waiting: Vec<_> = seen.nodes.iter().filter(|node| is_waiting(node)).collect();
    let asleep = |node: &&&NodeState| is_patience_over(node, seen);
    match waiting.iter().find(|node| !asleep(node)) {
        Some(node) => plan.messages.push(progress(seen, &format!("waiting for calico-node on {}", node.name))),
        None => go_on(seen, &mut plan),
    }
    let skipped = waiting.iter().filter(asleep).copied();
    let not_back = seen.nodes.iter().filter(|node| is_old(node) && !node.ready);
    plan.messages.extend(skipped.chain(not_back).map(skip));
    plan
}

/// Both at once would undo each other's work.
fn controllers(seen: &Observation, plan: &mut Plan) {
    let Some(old) = seen.old_controllers else { return };
    if old.replicas > 0 {
        plan.actions.push(Action::Scale(kube_controllers(), 0));
    }
    if old.replicas > 0 || old.pods > 0 {
        plan.withheld = Withheld { node: false, kube_controllers: true };
        let detail = format!("{} pods have to stop before the operator's controllers start", old.pods);
        plan.messages.push(Message::new(&codes::MIGRATING, detail).on(kube_controllers()));
    }
}

/// Two Typhas cannot share a node: both listen on the same port of the host.
fn old_typha(seen: &Observation, plan: &mut Plan) {
    let Some(replicas) = seen.old_typha else { return };
    let ready = seen.nodes.iter().filter(|node| node.ready).count();
    let room = i32::try_from(ready).unwrap_or(i32::MAX).saturating_sub(seen.new_typha).max(0);
    if replicas > room {
        plan.actions.push(Action::Scale(typha(), room));
    }
}

/// The operator's DaemonSet serves it, or should. Where the old one had no pod the new one need not have any.
fn is_waiting(node: &NodeState) -> bool {
    match node.mark {
        Some(Mark::PreOperator) => false,
        Some(Mark::Migrated) => node.new_pod != Some(true),
        None => node.new_pod == Some(false),
    }
}

fn is_old(node: &NodeState) -> bool {
    node.mark == Some(Mark::PreOperator)
}

/// The node itself has been away for long, so nothing can become ready there.
fn is_patience_over(node: &NodeState, seen: &Observation) -> bool {
    let away = node.since.map(|since| seen.now.duration_since(since));
    let away = away.and_then(|away| Duration::try_from(away).ok()).unwrap_or_default();
    !node.ready && away >= PATIENCE
}

fn go_on(seen: &Observation, plan: &mut Plan) {
    if !seen.new_nodes_ready || seen.new_typha_available < 1 {
        return plan.messages.push(progress(seen, "waiting for the operator's Typha and DaemonSet"));
    }
    // Where the old pod fails nothing is lost by moving, and it may help.
    let candidates = seen.nodes.iter().filter(|node| is_old(node) && node.ready);
    match candidates.min_by_key(|node| (node.old_pod == Some(true), &node.name)) {
        Some(node) => {
            plan.actions.push(Action::Mark(node.name.clone(), Mark::Migrated));
            plan.messages.push(progress(seen, &format!("moving {}", node.name)));
        }
        None if seen.nodes.iter().any(is_old) => {
            plan.messages.push(progress(seen, "the rest follows when it is ready again"));
        }
        None => finish(seen, plan),
    }
}

/// Nothing needs the old workloads any more.
fn finish(seen: &Observation, plan: &mut Plan) {
    plan.actions.retain(|action| !matches!(action, Action::Scale(..)));
    let replaced = crate::migrate::replaced();
    let left = seen.left.iter().filter(|(key, _)| replaced.iter().any(|(replaced, _)| replaced == key));
    plan.actions.extend(left.map(|(key, plural)| Action::Delete(key.clone(), plural)));
    plan.messages.push(progress(seen, "deleting the manifest install"));
}

fn progress(seen: &Observation, detail: &str) -> Message {
    let moved = seen.nodes.iter().filter(|node| !is_old(node)).count();
    let detail = format!("{moved} of {} nodes are served by the operator's install; {detail}", seen.nodes.len());
    Message::new(&codes::MIGRATING, detail).on(names::node())
}

fn skip(node: &NodeState) -> Message {
    let detail = "it is not ready, so the others go first; it follows when it is back";
    Message::new(&codes::MIGRATION_NODE_SKIPPED, detail).on(format!("Node {}", node.name))
}
