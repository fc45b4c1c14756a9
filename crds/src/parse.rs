//! Reading a resource from JSON with errors that name the resource and the field.

mod words;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::schema;

pub use words::in_words;

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
    if let Some(object) = value.as_object_mut() {
        let spec = object.entry("spec").or_insert(Value::Null);
        if spec.is_null() {
            *spec = Value::Object(Map::new());
        }
    }
    serde_path_to_error::deserialize(&value)
        .map_err(|error| describe(&value, error.path().to_string(), &error.inner().to_string()))
}

/// As the API server would say it, so far as the schema covers it.
fn describe(value: &Value, path: String, detail: &str) -> ParseError {
    // A missing field is reported at the map that lacks it.
    let here = |problem: &schema::Problem| {
        let rest = problem.path.strip_prefix(&path).unwrap_or("-");
        !problem.unknown && (path == "." || rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let (resource, message) = (label(value), in_words(detail));
    // A type of this crate that says itself what is wrong says it best.
    if message == detail {
        return ParseError { resource, path, message };
    }
    match schema::problems(value).into_iter().find(here) {
        Some(problem) => ParseError { resource, path: problem.path, message: problem.message },
        None => ParseError { resource, path, message },
    }
}

/// Kind and name for messages.
fn label(value: &Value) -> String {
    let text =
        |pointer: &str, absent: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or(absent).to_owned();
    format!("{} {}", text("/kind", "<no kind>"), text("/metadata/name", "<unnamed>"))
}
