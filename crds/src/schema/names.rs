//! The name of an object.

use serde_json::Value;

use super::Problem;

/// Longest name of an object, in bytes.
const LONGEST: usize = 253;

pub(super) fn problems(object: &Value) -> Option<Problem> {
    let name = object.pointer("/metadata/name")?;
    let good = name.as_str().is_some_and(is_subdomain);
    (!good).then(|| Problem {
        path: "metadata.name".into(),
        message: format!(
            "invalid value {}: a name consists of lowercase letters, digits, `-` and `.`, starts and ends with a letter or digit, and \
             has at most {LONGEST} characters",
            super::text::shown(name)
        ),
        unknown: false,
    })
}

/// As RFC 1123 has it, in lowercase.
fn is_subdomain(name: &str) -> bool {
    let alphanumeric = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let label = |label: &str| {
        label.starts_with(alphanumeric)
            && label.ends_with(alphanumeric)
            && label.chars().all(|c| alphanumeric(c) || c == '-')
    };
    name.len() <= LONGEST && name.split('.').all(label)
}
