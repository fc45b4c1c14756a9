//! Answers that are errors.

use serde_json::{Value, json};

use super::call::Call;

/// An error answer.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// HTTP status.
    pub code: u16,
    /// The `Status` object.
    pub body: Value,
}

impl Refusal {
    /// With details of the object.
    pub fn new(code: u16, reason: &str, message: &str, call: &Call) -> Self {
        let mut details = json!({"name": call.name});
        if let Some(kind) = call.kind {
            details["kind"] = kind.plural.clone().into();
            if !kind.group.is_empty() {
                details["group"] = kind.group.clone().into();
            }
        }
        Self { code, body: status(code, reason, message, details) }
    }

    /// The object is not there.
    pub fn not_found(call: &Call) -> Self {
        let plural = call.kind.map_or("", |kind| kind.plural.as_str());
        Self::new(404, "NotFound", &format!("{plural} \"{}\" not found", call.name), call)
    }

    /// The path means nothing.
    pub fn no_such_path() -> Self {
        let message = "the server could not find the requested resource";
        Self { code: 404, body: status(404, "NotFound", message, json!({})) }
    }

    /// The namespace is not there.
    pub fn no_namespace(namespace: &str) -> Self {
        let message = format!("namespaces \"{namespace}\" not found");
        Self { code: 404, body: status(404, "NotFound", &message, json!({"name": namespace, "kind": "namespaces"})) }
    }

    /// Another version is there than was named.
    pub fn conflict(call: &Call) -> Self {
        let message = "the object has been modified; please apply your changes to the latest version and try again";
        Self::new(409, "Conflict", message, call)
    }

    /// The object is there already.
    pub fn already_exists(call: &Call, name: &str) -> Self {
        let mut refusal = Self::new(409, "AlreadyExists", &format!("\"{name}\" already exists"), call);
        refusal.body["details"]["name"] = name.into();
        refusal
    }

    /// A field cannot have that value.
    pub fn invalid(call: &Call, field: &str, message: &str) -> Self {
        let mut refusal = Self::new(422, "Invalid", message, call);
        refusal.body["details"]["causes"] =
            json!([{"reason": "FieldValueInvalid", "field": field, "message": message}]);
        refusal
    }

    /// The history that was asked for is gone.
    pub fn expired() -> Self {
        Self { code: 410, body: status(410, "Expired", "too old resource version", json!({})) }
    }
}

fn status(code: u16, reason: &str, message: &str, details: Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Failure",
        "code": code, "reason": reason, "message": message, "details": details,
    })
}
