//! Reading a resource from JSON with errors that name the resource and the field.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A resource that does not have the shape of its kind.
#[derive(Debug, thiserror::Error)]
#[error("{resource} is not valid: field {path}: {message}")]
pub struct ParseError {
    /// Kind and name, such as `Installation default`; `<unnamed>` stands for a missing name.
    pub resource: String,
    /// Path of the field, such as `spec.calicoNetwork.bgp`; `.` is the whole resource.
    pub path: String,
    /// What is wrong there, without the path; an unknown enum value comes with the values that are allowed.
    pub message: String,
}

/// Reads a resource of a kind of this crate.
///
/// A `spec` that is absent reads like an empty one, as an API server that serves this crate's CRDs fills it in.
///
/// # Errors
///
/// [`ParseError`] names the resource, the path of the first field that does not fit, and what would.
pub fn resource<T: DeserializeOwned>(mut value: Value) -> Result<T, ParseError> {
    let resource = label(&value);
    if let Some(object) = value.as_object_mut() {
        let spec = object.entry("spec").or_insert(Value::Null);
        if spec.is_null() {
            *spec = Value::Object(Map::new());
        }
    }
    serde_path_to_error::deserialize(value).map_err(|error| ParseError {
        resource,
        path: error.path().to_string(),
        message: error.inner().to_string(),
    })
}

/// Kind and name for messages.
fn label(value: &Value) -> String {
    let text =
        |pointer: &str, absent: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or(absent).to_owned();
    format!("{} {}", text("/kind", "<no kind>"), text("/metadata/name", "<unnamed>"))
}
