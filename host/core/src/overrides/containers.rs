//! Containers that an override names and its workload does not have, or that it names twice.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Override, workload};
use crate::codes;
use crate::component::Component;
use crate::message::Message;
use crate::object::Object;

/// One message for each of them, about the resource with this label. Workloads that are not among the components are not
/// looked at.
pub(crate) fn unknown(resource: &str, overrides: Vec<Override>, components: &[Component]) -> Vec<Message> {
    let objects: Vec<_> = components.iter().flat_map(Component::objects).collect();
    let of = |wanted: Override| {
        let object = objects.iter().find(|object| *object.key() == wanted.target);
        object.map(|object| in_workload(resource, &wanted, object)).unwrap_or_default()
    };
    overrides.into_iter().flat_map(of).collect()
}

fn in_workload(resource: &str, wanted: &Override, object: &Object) -> Vec<Message> {
    ["initContainers", "containers"].iter().flat_map(|list| in_list(resource, wanted, object, list)).collect()
}

fn in_list(resource: &str, wanted: &Override, object: &Object, list: &str) -> Vec<Message> {
    let path = format!("/spec/template/spec/{list}");
    let own: Vec<_> = names(object.pointer(&path)).collect();
    let unknown = names(wanted.wanted.pointer(&path)).enumerate();
    let unknown = unknown.filter(|(_, name)| !own.contains(&workload::current_name(name)));
    let message = |(index, name): (usize, &str)| {
        let has = if own.is_empty() { "none".to_owned() } else { own.join(", ") };
        let detail = format!("{} has no such container {name:?}; its {list} are {has}", object.key());
        let field = format!("{}.spec.template.spec.{list}[{index}].name", wanted.field);
        Message::new(&codes::NO_SUCH_CONTAINER, detail).on(resource).field(field)
    };
    let unknown: Vec<_> = unknown.map(message).collect();
    unknown.into_iter().chain(named_twice(resource, wanted, list)).collect()
}

/// Of two entries about one container neither goes before the other.
fn named_twice(resource: &str, wanted: &Override, list: &str) -> Vec<Message> {
    let stated: Vec<_> = names(wanted.wanted.pointer(&format!("/spec/template/spec/{list}"))).collect();
    let mut seen = BTreeSet::new();
    let again = stated.into_iter().enumerate().filter(|(_, name)| !seen.insert(workload::current_name(name)));
    let message = |(index, name): (usize, &str)| {
        let field = format!("{}.spec.template.spec.{list}[{index}].name", wanted.field);
        let detail = format!("{name:?} is named before in the list; put what is said of it into one entry");
        Message::new(&codes::INVALID_CONFIGURATION, detail).on(resource).field(field)
    };
    again.map(message).collect()
}

fn names(list: Option<&Value>) -> impl Iterator<Item = &str> {
    let containers = list.and_then(Value::as_array).into_iter().flatten();
    containers.map(|container| container.get("name").and_then(Value::as_str).unwrap_or_default())
}
