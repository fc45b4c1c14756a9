//! What is different between the live object and what is to be written.

use serde_json::{Map, Value};

use super::managed::foreign_manager;

/// How a field is different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It is to have another value.
    Set,
    /// It is to go.
    Removed,
}

/// One field that is different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// JSON pointer into the live object.
    pub pointer: String,
    /// As messages give it: `spec.template.spec.containers[calico-node].image`.
    pub field: String,
    /// How.
    pub kind: ChangeKind,
    /// Who set the value that is to change, if it was not the operator.
    pub manager: Option<String>,
}

pub(super) fn changes(live: &Value, object: &Value) -> Vec<Change> {
    let mut walk = Walk { live, changes: Vec::new() };
    // Managed fields are not sent back.
    let mut before = live.clone();
    if let Some(metadata) = before.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    walk.value(&before, object, "", "");
    walk.changes
}

struct Walk<'a> {
    live: &'a Value,
    changes: Vec<Change>,
}

impl Walk<'_> {
    fn value(&mut self, before: &Value, after: &Value, pointer: &str, field: &str) {
        match (before, after) {
            (before, after) if before == after => {}
            (Value::Object(before), Value::Object(after)) => self.map(before, after, pointer, field),
            (Value::Array(before), Value::Array(after)) if alike(before, after) => {
                for (index, (before, after)) in before.iter().zip(after).enumerate() {
                    let field = format!("{field}[{}]", label(index, after));
                    self.value(before, after, &format!("{pointer}/{index}"), &field);
                }
            }
            _ => self.add(pointer, field, ChangeKind::Set),
        }
    }

    fn map(&mut self, before: &Map<String, Value>, after: &Map<String, Value>, pointer: &str, field: &str) {
        let below = |name: &str| (format!("{pointer}/{}", escape(name)), dotted(field, name));
        for (name, after) in after {
            let (pointer, field) = below(name);
            match before.get(name) {
                Some(before) => self.value(before, after, &pointer, &field),
                None => self.add(&pointer, &field, ChangeKind::Set),
            }
        }
        for name in before.keys().filter(|name| !after.contains_key(*name)) {
            let (pointer, field) = below(name);
            self.add(&pointer, &field, ChangeKind::Removed);
        }
    }

    fn add(&mut self, pointer: &str, field: &str, kind: ChangeKind) {
        let manager = foreign_manager(self.live, pointer);
        self.changes.push(Change { pointer: pointer.to_owned(), field: field.to_owned(), kind, manager });
    }
}

/// Whether two lists have the same elements in the same order, so far as these have names.
fn alike(before: &[Value], after: &[Value]) -> bool {
    let name = |value: &Value| value.get("name").cloned();
    before.len() == after.len() && before.iter().zip(after).all(|(a, b)| a.is_object() && name(a) == name(b))
}

fn label(index: usize, element: &Value) -> String {
    element.get("name").and_then(Value::as_str).map_or_else(|| index.to_string(), str::to_owned)
}

fn dotted(field: &str, name: &str) -> String {
    match (field, name.contains(['.', '/'])) {
        ("", _) => name.to_owned(),
        (field, true) => format!("{field}[{name}]"),
        (field, false) => format!("{field}.{name}"),
    }
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
