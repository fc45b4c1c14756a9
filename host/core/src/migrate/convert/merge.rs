//! Lays values under what is stated.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Fills in what `stated` lacks from `below`; maps are gone into, lists are one value.
pub(crate) fn under<T: Serialize + DeserializeOwned + Clone>(stated: &T, below: &T) -> T {
    let json = |value: &T| serde_json::to_value(value).unwrap_or_default();
    let laid = lay(json(stated), json(below));
    serde_json::from_value(laid).unwrap_or_else(|_| stated.clone())
}

fn lay(stated: Value, below: Value) -> Value {
    match (stated, below) {
        (Value::Null, below) => below,
        (Value::Object(mut stated), Value::Object(below)) => {
            for (name, below) in below {
                let own = stated.remove(&name).unwrap_or_default();
                stated.insert(name, lay(own, below));
            }
            Value::Object(stated)
        }
        (stated, _) => stated,
    }
}
