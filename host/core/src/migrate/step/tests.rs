use serde_json::json;

use super::*;
use crate::migrate::{leftovers, names, replaced};

fn now() -> Timestamp {
    Timestamp::from_second(10_000).unwrap()
}

fn node(name: &str, mark: Option<Mark>, old_pod: Option<bool>, new_pod: Option<bool>) -> NodeState {
    NodeState { name: name.into(), mark, ready: true, since: Some(Timestamp::UNIX_EPOCH), old_pod, new_pod }
}

fn old(name: &str) -> NodeState {
    node(name, Some(Mark::PreOperator), Some(true), None)
}

fn moved(name: &str) -> NodeState {
    node(name, Some(Mark::Migrated), None, Some(true))
}

fn away(node: NodeState, seconds: i64) -> NodeState {
    NodeState { ready: false, since: Timestamp::from_second(10_000 - seconds).ok(), ..node }
}

/// Everything is prepared and runs.
fn seen(nodes: Vec<NodeState>) -> Observation {
    Observation {
        nodes,
        old_nodes: Some(OldNodes { confined: true, observed: true }),
        old_typha: None,
        old_controllers: Some(OldControllers::default()),
        missing_felix: None,
        missing_rights: Vec::new(),
        new_typha: 1,
        new_typha_available: 1,
        new_nodes_ready: true,
        remembered: true,
        left: replaced(),
        now: now(),
    }
}

fn texts(plan: &Plan) -> String {
    plan.messages.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn nothing_changes_before_the_settings_are_recorded() {
    let seen = Observation {
        old_nodes: Some(OldNodes::default()),
        remembered: false,
        ..seen(vec![node("a", None, Some(true), None)])
    };
    let plan = step(&seen);
    assert_eq!(plan.actions, []);
    assert!(plan.withheld.node && plan.withheld.kube_controllers && plan.confined);
}

#[test]
fn rights_are_copied_first_then_nodes_are_labelled_and_then_the_daemon_set_is_kept_to_them() {
    let right = Object::from_value(json!({"apiVersion": "v1", "kind": "A", "metadata": {"name": "b"}})).unwrap();
    let nodes = vec![node("a", None, Some(true), None), old("b"), node("c", None, None, None)];
    let mut seen =
        Observation { old_nodes: Some(OldNodes::default()), missing_rights: vec![right.clone()], ..seen(nodes) };
    assert_eq!(step(&seen).actions, [Action::Create(Box::new(right))]);
    seen.missing_rights.clear();
    assert_eq!(step(&seen).actions, [Action::Mark("a".into(), Mark::PreOperator), Action::Confine], "c has no pod");
    assert!(step(&seen).withheld.node);
    seen.old_nodes = Some(OldNodes { confined: true, observed: false });
    assert_eq!(step(&seen).actions, []);
    assert!(step(&seen).withheld.node);
}

#[test]
fn the_old_controllers_stop_before_the_new_ones_start() {
    let with = |replicas, pods| {
        step(&Observation { old_controllers: Some(OldControllers { replicas, pods }), ..seen(vec![old("a")]) })
    };
    assert!(with(1, 1).actions.contains(&Action::Scale(names::kube_controllers(), 0)));
    assert!(with(1, 1).withheld.kube_controllers && !with(1, 1).withheld.node);
    assert!(!with(0, 1).actions.contains(&Action::Scale(names::kube_controllers(), 0)), "it was told already");
    assert!(with(0, 1).withheld.kube_controllers);
    assert!(!step(&seen(vec![old("a")])).withheld.kube_controllers);
}

#[test]
fn the_old_typha_makes_room_and_is_never_scaled_up() {
    for (nodes, replicas, want) in [(1, 1, Some(0)), (2, 1, None), (2, 2, Some(1)), (3, 3, Some(2)), (5, 1, None)] {
        let nodes = (0..nodes).map(|number| old(&format!("n{number}"))).collect();
        let plan = step(&Observation { old_typha: Some(replicas), ..seen(nodes) });
        let scaled = plan.actions.iter().find_map(|action| match action {
            Action::Scale(key, replicas) if *key == names::typha() => Some(*replicas),
            _ => None,
        });
        assert_eq!(scaled, want, "{replicas} replicas");
    }
}

#[test]
fn no_node_moves_before_the_operators_typha_serves() {
    let waiting = Observation { new_typha_available: 0, ..seen(vec![old("a"), old("b")]) };
    assert_eq!(step(&waiting).actions, []);
    let waiting = Observation { new_nodes_ready: false, ..seen(vec![old("a"), old("b")]) };
    assert_eq!(step(&waiting).actions, []);
}

#[test]
fn nodes_move_one_at_a_time() {
    let all = vec![old("a"), old("b"), old("c")];
    assert_eq!(step(&seen(all)).actions, [Action::Mark("a".into(), Mark::Migrated)]);
    for new_pod in [None, Some(false)] {
        let plan = step(&seen(vec![node("a", Some(Mark::Migrated), None, new_pod), old("b"), old("c")]));
        assert_eq!(plan.actions, [], "{new_pod:?}");
        assert!(texts(&plan).contains("1 of 3 nodes") && texts(&plan).contains("waiting for calico-node on a"));
    }
    let plan = step(&seen(vec![moved("a"), old("b"), old("c")]));
    assert_eq!(plan.actions, [Action::Mark("b".into(), Mark::Migrated)]);
}

#[test]
fn a_node_whose_old_pod_fails_goes_first() {
    let failing = node("b", Some(Mark::PreOperator), Some(false), None);
    assert_eq!(step(&seen(vec![old("a"), failing])).actions, [Action::Mark("b".into(), Mark::Migrated)]);
}

#[test]
fn a_node_that_joins_meanwhile_is_waited_for_like_one_that_moves() {
    let plan = step(&seen(vec![old("a"), node("new", None, None, Some(false))]));
    assert_eq!(plan.actions, []);
    let plan = step(&seen(vec![old("a"), node("new", None, None, Some(true))]));
    assert_eq!(plan.actions, [Action::Mark("a".into(), Mark::Migrated)]);
}

#[test]
fn a_node_that_is_not_ready_is_passed_over_and_named_and_follows_when_it_is_back() {
    let plan = step(&seen(vec![away(old("a"), 5), old("b")]));
    assert_eq!(plan.actions, [Action::Mark("b".into(), Mark::Migrated)]);
    assert!(texts(&plan).contains("Node a: it is not ready"), "{}", texts(&plan));
    let plan = step(&seen(vec![away(old("a"), 500), moved("b")]));
    assert_eq!(plan.actions, [], "the old install stays for as long as it serves a node");
    let plan = step(&seen(vec![old("a"), moved("b")]));
    assert_eq!(plan.actions, [Action::Mark("a".into(), Mark::Migrated)]);
}

#[test]
fn a_node_that_goes_away_while_it_moves_holds_the_others_up_for_a_while_only() {
    let moving = || node("a", Some(Mark::Migrated), None, Some(false));
    assert_eq!(step(&seen(vec![away(moving(), 5), old("b")])).actions, []);
    let plan = step(&seen(vec![away(moving(), 121), old("b")]));
    assert_eq!(plan.actions, [Action::Mark("b".into(), Mark::Migrated)]);
    assert!(texts(&plan).contains("Node a"), "{}", texts(&plan));
    let ready = NodeState { since: Some(Timestamp::UNIX_EPOCH), ..moving() };
    assert_eq!(step(&seen(vec![ready, old("b")])).actions, [], "a pod that fails on a ready node stops the move");
}

#[test]
fn at_the_end_the_old_workloads_go_and_the_daemon_set_last() {
    let plan = step(&Observation { old_typha: Some(3), ..seen(vec![moved("a"), moved("b")]) });
    let want: Vec<_> = replaced().into_iter().map(|(key, plural)| Action::Delete(key, plural)).collect();
    assert_eq!(plan.actions, want);
    assert_eq!(want.last(), Some(&Action::Delete(names::node(), "daemonsets")));
    assert!(plan.confined);
}

#[test]
fn then_what_they_used_goes_and_then_the_labels() {
    let mut seen =
        Observation { old_nodes: None, left: leftovers(), ..seen(vec![moved("a"), node("b", None, None, None)]) };
    let plan = step(&seen);
    assert_eq!(plan.actions.len(), leftovers().len());
    assert!(plan.actions.iter().all(|action| matches!(action, Action::Delete(..))));
    assert!(!plan.confined && !plan.withheld.node);
    seen.left.clear();
    assert_eq!(step(&seen).actions, [Action::Unmark("a".into())]);
    seen.nodes = vec![node("a", None, None, Some(true))];
    assert_eq!(step(&seen), Plan::default());
}

#[test]
fn a_daemon_set_that_somebody_deleted_half_way_leaves_no_node_without_calico() {
    let plan = step(&Observation { old_nodes: None, left: Vec::new(), ..seen(vec![old("a"), moved("b")]) });
    assert_eq!(plan.actions, [Action::Unmark("a".into()), Action::Unmark("b".into())]);
    assert!(!plan.confined, "the operator's DaemonSet serves every node at once");
}
