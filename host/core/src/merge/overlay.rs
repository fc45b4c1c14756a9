//! The recursion over maps and lists.

use serde_json::{Map, Value};

use super::compare::same;
use super::lists;
use super::managed::Managed;

/// How to lay one object over another.
pub(super) struct Overlay {
    /// The kind is part of Kubernetes, so its lists are known.
    pub(super) built_in: bool,
    /// Takes out what the operator set and does not want any more.
    pub(super) removes: bool,
}

impl Overlay {
    /// The desired map over the live one; `parent` is the name of the field (or list) that holds them.
    pub(super) fn map(
        &self,
        parent: &str,
        live: &Map<String, Value>,
        desired: &Map<String, Value>,
        managed: &Managed<'_>,
    ) -> Map<String, Value> {
        let left = live.iter().filter(|(name, _)| !desired.contains_key(*name));
        let left =
            left.filter_map(|(name, value)| Some((name.clone(), self.left(parent, name, value, desired, managed)?)));
        // Null stands for a field that is to go, in an object that otherwise loses none.
        let laid = desired.iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| {
            let value = match live.get(name) {
                Some(live) => self.value(parent, name, live, value, &managed.field(name)),
                None => value.clone(),
            };
            (name.clone(), value)
        });
        left.chain(laid).collect()
    }

    /// What stays of a live field that desired does not have.
    fn left(
        &self,
        parent: &str,
        name: &str,
        live: &Value,
        desired: &Map<String, Value>,
        managed: &Managed<'_>,
    ) -> Option<Value> {
        if self.built_in && (lists::is_closed(parent) || lists::is_excluded(parent, name, desired)) {
            return None;
        }
        if self.removes { managed.field(name).without_ours(live) } else { Some(live.clone()) }
    }

    fn value(&self, parent: &str, name: &str, live: &Value, desired: &Value, managed: &Managed<'_>) -> Value {
        match (live, desired) {
            (Value::Object(live), Value::Object(desired)) => Value::Object(self.map(name, live, desired, managed)),
            (Value::Array(live), Value::Array(desired)) => Value::Array(self.list(name, live, desired, managed)),
            (live, desired) if same(parent, name, live, desired) => live.clone(),
            (_, desired) => desired.clone(),
        }
    }

    /// Elements and order are desired's; each is laid over its live twin.
    fn list(&self, name: &str, live: &[Value], desired: &[Value], managed: &Managed<'_>) -> Vec<Value> {
        if live.len() == desired.len() && live.iter().zip(desired).all(|(a, b)| same("", name, a, b)) {
            return live.to_vec();
        }
        desired.iter().map(|element| self.element(name, live, element, managed)).collect()
    }

    fn element(&self, list: &str, live: &[Value], desired: &Value, managed: &Managed<'_>) -> Value {
        let keys = lists::keys(list, desired).filter(|_| self.built_in);
        let twin =
            keys.and_then(|keys| live.iter().find(|live| keys.iter().all(|key| live.get(*key) == desired.get(*key))));
        match (twin, desired) {
            (Some(twin @ Value::Object(live)), Value::Object(fields)) => {
                Value::Object(self.map(list, live, fields, &managed.element(twin)))
            }
            _ => desired.clone(),
        }
    }
}
