//! Setting what is unset.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

/// Sets a field that is unset.
pub(super) fn set(fields: &mut Map<String, Value>, name: &str, value: impl Into<Value>) {
    fields.entry(name).or_insert_with(|| value.into());
}

/// Calls `edit` with the map at a field, made if it is unset. What is no map stays: the API server says what is wrong.
pub(super) fn made(fields: &mut Map<String, Value>, name: &str, edit: impl FnOnce(&mut Map<String, Value>)) {
    if let Value::Object(below) = fields.entry(name).or_insert_with(|| Value::Object(Map::new())) {
        edit(below);
    }
}

/// Calls `edit` with the map at a field, if there is one.
pub(super) fn with(fields: &mut Map<String, Value>, name: &str, edit: impl FnOnce(&mut Map<String, Value>)) {
    if let Some(Value::Object(below)) = fields.get_mut(name) {
        edit(below);
    }
}

/// Calls `edit` with each map of the list at a field.
pub(super) fn each(fields: &mut Map<String, Value>, name: &str, edit: impl Fn(&mut Map<String, Value>)) {
    let items = fields.get_mut(name).and_then(Value::as_array_mut);
    items.into_iter().flatten().filter_map(Value::as_object_mut).for_each(edit);
}

/// The text at a field.
pub(super) fn text<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    fields.get(name).and_then(Value::as_str)
}

/// Text as the API server keeps bytes.
pub(super) fn base64(text: &Value) -> Value {
    STANDARD.encode(text.as_str().unwrap_or_default()).into()
}
