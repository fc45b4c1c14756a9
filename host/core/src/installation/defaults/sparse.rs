//! The difference of two specs.

use serde_json::{Map, Value};

/// What `effective` has and `stated` lacks, in the shape of both; lists of the same length are compared entry by entry.
/// `None` if there is no difference.
pub(crate) fn difference(stated: Option<&Value>, effective: &Value) -> Option<Value> {
    match (stated, effective) {
        (None | Some(Value::Null), Value::Null) => None,
        (None | Some(Value::Null), chosen) => Some(chosen.clone()),
        (Some(Value::Object(stated)), Value::Object(effective)) => {
            let below = |(name, value): (&String, &Value)| Some((name.clone(), difference(stated.get(name), value)?));
            let map: Map<String, Value> = effective.iter().filter_map(below).collect();
            (!map.is_empty()).then_some(Value::Object(map))
        }
        (Some(Value::Array(stated)), Value::Array(effective)) if stated.len() == effective.len() => {
            let entries = stated.iter().zip(effective).map(|(stated, effective)| difference(Some(stated), effective));
            let entries: Vec<_> = entries.collect();
            let empty = || Value::Object(Map::new());
            let chosen = entries.iter().any(Option::is_some);
            chosen.then(|| entries.into_iter().map(|entry| entry.unwrap_or_else(empty)).collect())
        }
        // What the user set is the user's, also where the operator reads it in another way.
        (Some(_), _) => None,
    }
}
