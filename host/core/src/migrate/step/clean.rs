//! After the old DaemonSet is gone, by whoever's hand.

use super::super::names;
use super::{Action, Observation, Plan};
use crate::codes;
use crate::message::Message;

/// What the old install used goes first, so that labels, which say that something is left, go last.
pub(super) fn up(seen: &Observation) -> Plan {
    let marked = || seen.nodes.iter().filter(|node| node.mark.is_some());
    let actions: Vec<_> = if seen.left.is_empty() {
        marked().map(|node| Action::Unmark(node.name.clone())).collect()
    } else {
        seen.left.iter().map(|(key, plural)| Action::Delete(key.clone(), plural)).collect()
    };
    if actions.is_empty() {
        return Plan::default();
    }
    let detail = "what the manifest install left is being removed";
    Plan { actions, messages: vec![Message::new(&codes::MIGRATING, detail).on(names::node())], ..Plan::default() }
}
