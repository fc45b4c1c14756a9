//! Who set which field, by `metadata.managedFields` (`FieldsV1`).

use serde_json::{Map, Value};

/// The name that the operator writes under.
pub const FIELD_MANAGER: &str = "chimera";
/// Names that count as the operator's: its own, and that of the operator that it takes over from.
pub const OUR_MANAGERS: [&str; 2] = [FIELD_MANAGER, "operator"];

/// Field sets of some managers, at one place of an object.
#[derive(Clone, Debug, Default)]
pub(super) struct Sets<'a>(Vec<&'a Map<String, Value>>);

impl<'a> Sets<'a> {
    fn step(&self, matches: impl Fn(&str) -> bool) -> Self {
        let below = |set: &&'a Map<String, Value>| -> Vec<&'a Map<String, Value>> {
            // A set without members stands for everything below.
            if set.is_empty() {
                return vec![*set];
            }
            let members = set.iter().filter(|(step, _)| matches(step));
            members.filter_map(|(_, below)| below.as_object()).collect()
        };
        Self(self.0.iter().flat_map(below).collect())
    }

    /// Sets at a field of a map.
    fn field(&self, name: &str) -> Self {
        self.step(|step| step.strip_prefix("f:") == Some(name))
    }

    /// Sets at an element of a list.
    fn element(&self, element: &Value) -> Self {
        self.step(|step| {
            if let Some(keys) = step.strip_prefix("k:") {
                return has_keys(element, keys);
            }
            step.strip_prefix("v:")
                .is_some_and(|value| serde_json::from_str::<Value>(value).ok().as_ref() == Some(element))
        })
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn is_whole(&self) -> bool {
        self.0.iter().any(|set| set.is_empty())
    }
}

fn has_keys(element: &Value, keys: &str) -> bool {
    let Ok(Value::Object(keys)) = serde_json::from_str(keys) else { return false };
    keys.iter().all(|(name, value)| element.get(name) == Some(value))
}

/// What the operator and what others set, at one place of an object.
#[derive(Clone, Debug, Default)]
pub(super) struct Managed<'a> {
    ours: Sets<'a>,
    others: Sets<'a>,
}

impl Managed<'_> {
    pub(super) fn field(&self, name: &str) -> Self {
        Self { ours: self.ours.field(name), others: self.others.field(name) }
    }

    pub(super) fn element(&self, element: &Value) -> Self {
        Self { ours: self.ours.element(element), others: self.others.element(element) }
    }

    /// What is left of a live value when everything that only the operator set is taken out.
    pub(super) fn without_ours(&self, live: &Value) -> Option<Value> {
        if self.ours.is_empty() {
            return Some(live.clone());
        }
        if self.others.is_empty() && self.ours.is_whole() {
            return None;
        }
        match live {
            Value::Object(fields) => {
                let kept = fields
                    .iter()
                    .filter_map(|(name, value)| Some((name.clone(), self.field(name).without_ours(value)?)));
                let kept: Map<String, Value> = kept.collect();
                (!kept.is_empty()).then_some(Value::Object(kept))
            }
            Value::Array(items) => {
                let kept: Vec<_> = items.iter().filter_map(|item| self.element(item).without_ours(item)).collect();
                (!kept.is_empty()).then_some(Value::Array(kept))
            }
            _ => (!self.others.is_empty()).then(|| live.clone()),
        }
    }
}

fn entries(live: &Map<String, Value>) -> impl Iterator<Item = (&str, &Map<String, Value>)> {
    let entries = live.get("metadata").and_then(|metadata| metadata.get("managedFields")).and_then(Value::as_array);
    entries.into_iter().flatten().filter_map(|entry| {
        let manager = entry.get("manager").and_then(Value::as_str)?;
        Some((manager, entry.get("fieldsV1")?.as_object()?))
    })
}

/// Reads an object's managed fields.
pub(super) fn managed(live: &Map<String, Value>) -> Managed<'_> {
    let (mut ours, mut others) = (Vec::new(), Vec::new());
    for (manager, set) in entries(live) {
        if OUR_MANAGERS.contains(&manager) { ours.push(set) } else { others.push(set) }
    }
    Managed { ours: Sets(ours), others: Sets(others) }
}

/// Whether the operator ever wrote this object.
pub fn wrote(live: &Value) -> bool {
    live.as_object().is_some_and(|live| entries(live).any(|(manager, _)| OUR_MANAGERS.contains(&manager)))
}

/// Who set a field, so far as an object's managed fields say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setter {
    /// The operator, or the one before it, and nobody else.
    Operator,
    /// Somebody else, perhaps besides the operator.
    Other,
    /// They do not say.
    Unknown,
}

/// Who set the field at a path.
pub fn setter(live: &Map<String, Value>, path: &[&str]) -> Setter {
    let there = path.iter().fold(managed(live), |managed, name| managed.field(name));
    match (there.ours.is_empty(), there.others.is_empty()) {
        (_, false) => Setter::Other,
        (false, true) => Setter::Operator,
        (true, true) => Setter::Unknown,
    }
}

/// Who, other than the operator, set the field at a JSON pointer.
pub(super) fn foreign_manager(live: &Value, pointer: &str) -> Option<String> {
    let fields = live.as_object()?;
    let owners = entries(fields).filter(|(manager, _)| !OUR_MANAGERS.contains(manager));
    owners.filter(|(_, set)| reaches(set, live, pointer)).map(|(manager, _)| manager.to_owned()).next()
}

fn reaches(set: &Map<String, Value>, live: &Value, pointer: &str) -> bool {
    let (mut sets, mut at) = (Sets(vec![set]), live);
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        let below = match at {
            Value::Object(fields) => fields.get(&step),
            Value::Array(items) => step.parse().ok().and_then(|index: usize| items.get(index)),
            _ => None,
        };
        let Some(below) = below else { return false };
        sets = if at.is_array() { sets.element(below) } else { sets.field(&step) };
        at = below;
    }
    !sets.is_empty()
}

/// Whether this manager holds a field through a subresource, as an autoscaler does.
pub(super) fn holds_by_subresource(live: &Map<String, Value>, subresource: &str, manager: &str, path: &[&str]) -> bool {
    let entries = live.get("metadata").and_then(|metadata| metadata.get("managedFields")).and_then(Value::as_array);
    entries.into_iter().flatten().any(|entry| {
        let is = |name: &str, value: &str| entry.get(name).and_then(Value::as_str) == Some(value);
        let mut set = entry.get("fieldsV1");
        for step in path {
            set = set.and_then(|set| set.get(format!("f:{step}")));
        }
        is("subresource", subresource) && is("manager", manager) && set.is_some()
    })
}
