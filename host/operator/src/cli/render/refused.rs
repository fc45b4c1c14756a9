//! What an API server would refuse before the operator ever saw it, and what there is nothing to render for.

use chimera_core::codes;
use chimera_core::message::Message;
use chimera_core::object::{Object, ObjectKey};
use chimera_crds::schema;

use super::files::Given;

/// The group that is the operator's own, so that every kind in it is known.
const GROUP: &str = "operator.tigera.io";
/// Kinds whose objects come from charts, which only a cluster's operator has at hand.
const FROM_CHARTS: [&str; 2] = ["GatewayAPI", "Istio"];

/// Everything in the files that the schemas of this release do not take. Of the cluster's state nothing counts that
/// another release may know.
pub(super) fn problems(given: &Given) -> Vec<String> {
    let wanted = given.wanted.iter().map(|object| (object, true));
    said_of(wanted.chain(given.state.iter().map(|object| (object, false))))
}

/// The same for objects that are all to be applied.
pub(in crate::cli) fn of(objects: &[Object]) -> Vec<String> {
    said_of(objects.iter().map(|object| (object, true)))
}

fn said_of<'a>(objects: impl Iterator<Item = (&'a Object, bool)>) -> Vec<String> {
    let mut said = Vec::new();
    for (object, strict) in objects {
        let value = object.clone().into_value();
        if strict && let Some(message) = unserved(object.key(), &value) {
            said.push(message.to_string());
        }
        for problem in schema::problems(&value) {
            if strict || !problem.unknown {
                let message = Message::new(&codes::INVALID_CONFIGURATION, problem.message);
                said.push(message.on(object.key()).field(problem.path).to_string());
            }
        }
    }
    said
}

/// A kind or version of the operator's own group that there is not.
fn unserved(key: &ObjectKey, value: &serde_json::Value) -> Option<Message> {
    if key.group() != GROUP || schema::Schema::of(value).is_some() {
        return None;
    }
    let (field, detail) = match schema::served(GROUP, &key.kind) {
        Ok(version) => ("apiVersion", format!("{} is served as {GROUP}/{version} only", key.kind)),
        Err(near) => {
            let hint = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
            ("kind", format!("{GROUP} has no kind {}{hint}", key.kind))
        }
    };
    Some(Message::new(&codes::INVALID_CONFIGURATION, detail).on(key).field(field))
}

/// Objects that an operator in a cluster would do something about, and this command does not.
pub(super) fn left_out(given: &Given) -> Vec<String> {
    let keys = given.wanted.iter().map(|object| object.key());
    let from_charts = keys.filter(|key| key.group() == GROUP && FROM_CHARTS.contains(&key.kind.as_str()));
    from_charts.map(|key| format!("{key}: nothing is rendered for it offline: its objects come from charts")).collect()
}
