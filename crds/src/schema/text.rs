//! Values as messages show them.

use serde_json::Value;

/// Characters of a value that a message shows.
const LONGEST: usize = 60;

/// A value, shortened; of a list or map only what it is.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Object(_) => "a map".into(),
        Value::Array(_) => "a list".into(),
        value => {
            let text = value.to_string();
            let short: String = text.chars().take(LONGEST).collect();
            if short == text { text } else { format!("{short}…") }
        }
    }
}

/// A type of the schema in words.
pub(super) fn type_name(name: &str) -> &str {
    match name {
        "object" => "a map",
        "array" => "a list",
        "string" => "text",
        "boolean" => "true or false",
        "integer" => "a whole number",
        "number" => "a number",
        other => other,
    }
}
