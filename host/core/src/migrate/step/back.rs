//! Back to the manifest install, if the Installation is deleted while nodes move.
//!
//! One node after another is labelled as served by the manifest install again, each only when the one before has its old
//! pod back. Then the operator's DaemonSet goes, the old one serves every node as before, its controllers start again, and the labels go. The
//! copies of rights stay: what they copy is deleted with the Installation.

use super::super::names::{self, kube_controllers};
use super::{Action, Mark, NodeState, OldControllers, OldNodes, Plan};
use crate::codes;
use crate::message::Message;
use crate::names::{CALICO_SYSTEM, NODE};
use crate::object::ObjectKey;

/// What the old install has to get back, none once it has everything.
///
/// `ours`: the operator's DaemonSet is still there. It would serve nodes without a label at once.
pub fn back(old: OldNodes, ours: bool, controllers: Option<OldControllers>, nodes: &[NodeState]) -> Option<Plan> {
    let plan = |detail: &str, actions| {
        let messages = vec![Message::new(&codes::REMOVING, detail).on(names::node())];
        Some(Plan { actions, messages, ..Plan::default() })
    };
    if let Some(node) = nodes.iter().find(|node| is_on_the_way(node)) {
        return plan(&format!("waiting for the pod of the manifest install on {}", node.name), Vec::new());
    }
    if let Some(node) = nodes.iter().find(|node| is_ours(node)) {
        let detail = format!("giving {} back to the manifest install", node.name);
        return plan(&detail, vec![Action::Mark(node.name.clone(), Mark::PreOperator)]);
    }
    if ours && (old.confined || is_marked(nodes)) {
        let daemon_set = ObjectKey::namespaced("apps/v1", "DaemonSet", CALICO_SYSTEM, NODE);
        return plan("the operator's DaemonSet goes", vec![Action::Delete(daemon_set, "daemonsets")]);
    }
    let stopped = controllers.is_some_and(|controllers| controllers.replicas == 0);
    let mut actions = Vec::new();
    if old.confined {
        actions.push(Action::Unconfine);
    }
    if stopped && (old.confined || is_marked(nodes)) {
        actions.push(Action::Scale(kube_controllers(), 1));
    }
    actions.extend(nodes.iter().filter(|node| node.mark.is_some()).map(|node| Action::Unmark(node.name.clone())));
    if actions.is_empty() { None } else { plan("the manifest install serves every node again", actions) }
}

fn is_marked(nodes: &[NodeState]) -> bool {
    nodes.iter().any(|node| node.mark.is_some())
}

/// It was given back, and still has the operator's pod, or not yet the old one.
fn is_on_the_way(node: &NodeState) -> bool {
    node.mark == Some(Mark::PreOperator) && node.ready && (node.new_pod.is_some() || node.old_pod.is_none())
}

/// The operator's install serves it, also where it joined while others moved.
fn is_ours(node: &NodeState) -> bool {
    node.mark == Some(Mark::Migrated) || (node.mark.is_none() && node.new_pod.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, mark: Option<Mark>, old_pod: Option<bool>, new_pod: Option<bool>) -> NodeState {
        NodeState { name: name.into(), mark, ready: true, old_pod, new_pod, ..NodeState::default() }
    }

    #[test]
    fn nodes_go_back_one_at_a_time_and_everything_else_follows() {
        let confined = OldNodes { confined: true, observed: true };
        let controllers = Some(OldControllers { replicas: 0, pods: 0 });
        let (old, new) = (Some(Mark::PreOperator), Some(Mark::Migrated));
        let mark = |name: &str| vec![Action::Mark(name.into(), Mark::PreOperator)];
        let never = node("c", old, Some(false), None);
        let steps = [
            (vec![node("a", new, None, Some(true)), node("b", new, None, Some(true)), never.clone()], mark("a")),
            // Its pod has to change first, and the others wait.
            (vec![node("a", old, None, Some(true)), node("b", new, None, Some(true)), never.clone()], vec![]),
            (vec![node("a", old, None, None), node("b", new, None, Some(true)), never.clone()], vec![]),
            (vec![node("a", old, Some(false), None), node("b", new, None, Some(true)), never.clone()], mark("b")),
            (
                vec![node("a", old, Some(true), None), node("b", old, Some(true), None), never],
                [
                    vec![Action::Unconfine, Action::Scale(kube_controllers(), 1)],
                    ["a", "b", "c"].map(|name| Action::Unmark(name.into())).to_vec(),
                ]
                .concat(),
            ),
        ];
        let last = steps.len() - 1;
        for (at, (nodes, actions)) in steps.into_iter().enumerate() {
            // The operator's DaemonSet goes when it serves no node any more, and the labels only after it.
            if at == last {
                let actions = back(confined, true, controllers, &nodes).unwrap().actions;
                assert!(
                    matches!(actions.as_slice(), [Action::Delete(key, _)] if key.kind == "DaemonSet"),
                    "{actions:?}"
                );
            }
            assert_eq!(back(confined, at < last, controllers, &nodes).unwrap().actions, actions, "{nodes:?}");
        }
        let nodes = [node("a", None, Some(true), None)];
        let run = Some(OldControllers { replicas: 1, pods: 1 });
        assert_eq!(back(OldNodes::default(), false, run, &nodes), None);
        assert_eq!(back(OldNodes::default(), true, run, &nodes), None, "nothing ever moved");
    }

    #[test]
    fn a_node_that_joined_meanwhile_is_given_back_and_one_that_is_away_holds_nothing_up() {
        let joined = node("a", None, None, Some(true));
        let plan = back(OldNodes { confined: true, observed: true }, true, None, &[joined]).unwrap();
        assert_eq!(plan.actions, [Action::Mark("a".into(), Mark::PreOperator)]);
        let away = NodeState { ready: false, ..node("a", Some(Mark::PreOperator), None, Some(false)) };
        let plan = back(OldNodes { confined: true, observed: true }, false, None, &[away]).unwrap();
        assert_eq!(plan.actions, [Action::Unconfine, Action::Unmark("a".into())]);
    }

    #[test]
    fn controllers_that_the_user_stopped_before_any_node_moved_stay_stopped() {
        let stopped = Some(OldControllers { replicas: 0, pods: 0 });
        assert_eq!(back(OldNodes::default(), false, stopped, &[node("a", None, Some(true), None)]), None);
    }
}
