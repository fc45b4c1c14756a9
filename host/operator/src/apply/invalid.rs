//! What the API server's validation has against an object, field by field.

use kube::core::response::{Status, StatusCause};
use serde_json::Value;

/// Longest list of faults in a message, in characters; what does not fit is counted.
const LONGEST: usize = 800;
/// Longest value that a message repeats, in characters.
const LONGEST_VALUE: usize = 100;
/// Faults that the API server tells with the value.
const VALUED: [&str; 4] = ["Invalid value", "Unsupported value", "Duplicate value", "Not found"];

/// One field that holds what it may not hold.
#[derive(PartialEq)]
pub(super) struct Fault {
    /// The field, as `spec.template.spec.tolerations[0].operator`.
    pub(super) field: String,
    text: String,
}

/// The fields at fault; none if something else than validation refused the object. `secret`: values are not told.
pub(super) fn faults(status: &Status, secret: bool) -> Vec<Fault> {
    if status.message.starts_with("admission webhook") {
        return Vec::new();
    }
    let causes = status.details.as_ref().map(|details| details.causes.as_slice()).unwrap_or_default();
    let causes = causes.iter().filter(|cause| !cause.field.is_empty());
    let mut faults: Vec<Fault> = Vec::new();
    for fault in causes.map(|cause| Fault { field: cause.field.clone(), text: text(cause, secret) }) {
        // Labels, for one, are looked at by more than one part of the API server.
        if !faults.contains(&fault) {
            faults.push(fault);
        }
    }
    faults
}

/// Whether the API server could not even read the object: a field is of another type, say.
pub(super) fn is_unreadable(status: &Status) -> bool {
    status.code == 400 && status.message.contains("cannot be handled as a")
}

fn text(cause: &StatusCause, secret: bool) -> String {
    let parts = cause.message.split_once(": ").filter(|(class, _)| VALUED.contains(class));
    let Some((class, rest)) = parts else { return without_examples(&cause.message).to_owned() };
    let (value, why) = valued(rest);
    let value = value.filter(|_| !secret).unwrap_or_default();
    let parts = [class, &value, without_examples(why)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
}

/// The value, if it is a short one, and what is wrong with it.
fn valued(rest: &str) -> (Option<String>, &str) {
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
    let Some(Ok(value)) = values.next() else { return (None, rest.rsplit(": ").next().unwrap_or_default()) };
    let why = rest.get(values.byte_offset()..).unwrap_or_default();
    let shown = Some(value).filter(|value| !value.is_object() && !value.is_array()).map(|value| value.to_string());
    (shown.filter(|shown| shown.chars().count() <= LONGEST_VALUE), why.trim_start_matches(": "))
}

/// Kubernetes adds examples and a regular expression, which are longer than the reason.
fn without_examples(why: &str) -> &str {
    why.split(" (e.g. ").next().unwrap_or(why).trim_end()
}

/// All of them, as far as they fit.
pub(super) fn list(faults: &[Fault]) -> String {
    let mut text = String::new();
    for (told, fault) in faults.iter().enumerate() {
        let one = super::failure::shortened(&format!("{}: {}", fault.field, fault.text), LONGEST);
        if told > 0 && text.chars().count() + one.chars().count() > LONGEST {
            return format!("{text}; and {} more", faults.len() - told);
        }
        let between = if told > 0 { "; " } else { "" };
        text = format!("{text}{between}{one}");
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(causes: &[(&str, &str)], secret: bool) -> String {
        let causes: Vec<_> =
            causes.iter().map(|(field, message)| json!({"field": field, "message": message})).collect();
        let status = json!({"code": 422, "message": "x", "details": {"causes": causes}});
        list(&faults(&serde_json::from_value(status).unwrap(), secret))
    }

    #[test]
    fn the_value_and_the_whole_reason_are_told() {
        let label = "Invalid value: \"a: b\": name part must start and end with an alphanumeric character (e.g. \
                     'MyName',  or 'my.name', regex used for validation is '([A-Za-z0-9])')";
        for (message, expected) in [
            (label, "a: Invalid value: \"a: b\": name part must start and end with an alphanumeric character"),
            (
                "Unsupported value: \"Sometimes\": supported values: \"Equal\", \"Exists\"",
                "a: Unsupported value: \"Sometimes\": supported values: \"Equal\", \"Exists\"",
            ),
            (
                "Invalid value: 70000: must be between 1 and 65535",
                "a: Invalid value: 70000: must be between 1 and 65535",
            ),
            ("Duplicate value: \"x\"", "a: Duplicate value: \"x\""),
            ("Required value: must be there", "a: Required value: must be there"),
        ] {
            assert_eq!(told(&[("a", message)], false), expected);
        }
    }

    #[test]
    fn values_of_a_secret_and_whole_structures_are_not_told() {
        for (message, secret) in [
            ("Invalid value: \"hidden\": must be short", true),
            ("Invalid value: {\"a\":\"hidden: b\"}: must be short", false),
            ("Invalid value: v1.Selector{A:\"hidden\"}: must be short", false),
        ] {
            assert_eq!(told(&[("a", message)], secret), "a: Invalid value: must be short");
        }
    }

    #[test]
    fn what_does_not_fit_is_counted_and_no_reason_is_cut() {
        let why = "must be short ".repeat(20);
        let text = told(&[("a", &why), ("a", &why), ("b", &why), ("c", &why), ("d", &why)], false);
        assert!(text.ends_with("must be short; and 2 more"), "{text}");
    }
}
