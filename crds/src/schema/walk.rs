//! Walks an object beside its schema.

use serde_json::{Map, Value};

use super::Problem;
use super::format;
use super::text::{shown, type_name};

/// Everything that a schema does not take of an object.
pub(super) fn problems(schema: &Value, object: &Value) -> Vec<Problem> {
    let mut walk = Walk::default();
    let Some(fields) = object.as_object() else { return walk.problems };
    walk.map(schema, fields, "");
    walk.problems
}

#[derive(Default)]
struct Walk {
    problems: Vec<Problem>,
}

impl Walk {
    fn add(&mut self, path: &str, message: String) {
        self.problems.push(Problem { path: path.to_owned(), message, unknown: false });
    }

    fn invalid(&mut self, path: &str, value: &Value, wanted: &str) {
        self.add(path, format!("invalid value {}: {wanted}", shown(value)));
    }

    fn value(&mut self, schema: &Value, value: &Value, path: &str) {
        // The API server takes such a null for a field that is not there.
        if value.is_null() && !path.ends_with(']') || value.is_null() && is(schema, "nullable") {
            return;
        }
        if is(schema, "x-kubernetes-int-or-string") {
            if !value.is_string() && value.as_i64().is_none() {
                return self.invalid(path, value, "must be a whole number or text");
            }
        } else if let Some(wanted) = schema.get("type").and_then(Value::as_str).filter(|name| !has_type(name, value)) {
            return self.invalid(path, value, &format!("must be {}", type_name(wanted)));
        }
        if let Some(values) = list(schema, "enum").filter(|values| !values.contains(value)) {
            let values: Vec<_> = values.iter().map(Value::to_string).collect();
            return self.add(path, format!("unsupported value {}: supported are {}", shown(value), values.join(", ")));
        }
        match value {
            Value::Number(_) => self.number(schema, value, path),
            Value::String(text) => self.text(schema, value, text, path),
            Value::Array(items) => self.list(schema, items, path),
            Value::Object(fields) => self.map(schema, fields, path),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn number(&mut self, schema: &Value, value: &Value, path: &str) {
        let limit = |name: &str| schema.get(name).filter(|limit| limit.is_number());
        let beyond = |limit: &Value, order: std::cmp::Ordering| {
            value.as_f64().zip(limit.as_f64()).and_then(|(value, limit)| value.partial_cmp(&limit)) == Some(order)
        };
        let (least, most) = (limit("minimum"), limit("maximum"));
        let small = least.is_some_and(|least| beyond(least, std::cmp::Ordering::Less));
        let big = most.is_some_and(|most| beyond(most, std::cmp::Ordering::Greater));
        if small || big {
            return self.invalid(path, value, &range(least, most));
        }
        let narrow = schema.get("format").and_then(Value::as_str) == Some("int32");
        if narrow && value.as_i64().is_none_or(|number| i32::try_from(number).is_err()) {
            self.invalid(path, value, &format!("must be from {} to {}", i32::MIN, i32::MAX));
        }
    }

    fn text(&mut self, schema: &Value, value: &Value, text: &str, path: &str) {
        let length = text.chars().count();
        if let Some(wanted) = size(schema, "Length", length, "characters") {
            self.invalid(path, value, &wanted);
        }
        if let Some(wanted) = format::wanted(schema, text) {
            self.invalid(path, value, &wanted);
        }
    }

    fn list(&mut self, schema: &Value, items: &[Value], path: &str) {
        if let Some(wanted) = size(schema, "Items", items.len(), "elements") {
            self.add(path, format!("it has {} elements: {wanted}", items.len()));
        }
        let Some(element) = schema.get("items") else { return };
        for (index, item) in items.iter().enumerate() {
            let path = format!("{path}[{index}]");
            let identity = identity(schema, item);
            let before =
                items.iter().take(index).any(|other| identity.is_some() && self::identity(schema, other) == identity);
            if before {
                self.add(&path, "duplicate: the list has this element already".into());
            }
            self.value(element, item, &path);
        }
    }

    fn map(&mut self, schema: &Value, fields: &Map<String, Value>, path: &str) {
        if let Some(wanted) = size(schema, "Properties", fields.len(), "entries") {
            self.add(path, format!("it has {} entries: {wanted}", fields.len()));
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        for name in list(schema, "required").into_iter().flatten().filter_map(Value::as_str) {
            let filled_in = properties.and_then(|properties| properties.get(name)?.get("default")).is_some();
            if !filled_in && fields.get(name).is_none_or(Value::is_null) {
                self.add(&below(path, name), "required value: it is missing".into());
            }
        }
        for (name, value) in fields {
            let (known, path) = (properties.and_then(|properties| properties.get(name)), below(path, name));
            match known.or_else(|| schema.get("additionalProperties").filter(|schema| schema.is_object())) {
                Some(schema) => self.value(schema, value, &path),
                None => self.unknown(schema, properties, name, path),
            }
        }
    }

    fn unknown(&mut self, schema: &Value, properties: Option<&Map<String, Value>>, name: &str, path: String) {
        let open = is(schema, "x-kubernetes-preserve-unknown-fields")
            || schema.get("additionalProperties") == Some(&Value::Bool(true));
        // A status is another operator's if it has more. Of the object's own metadata a schema names what it restricts,
        // and the API server knows the rest.
        let elsewhere = path.starts_with("status.") || path.starts_with("metadata.");
        let Some(properties) = properties.filter(|_| !open && !elsewhere) else { return };
        let near = properties.keys().find(|known| known.eq_ignore_ascii_case(name) || is_near(known, name));
        let hint = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        self.problems.push(Problem { path, message: format!("unknown field{hint}"), unknown: true });
    }
}

fn is(schema: &Value, name: &str) -> bool {
    schema.get(name) == Some(&Value::Bool(true))
}

fn list<'a>(schema: &'a Value, name: &str) -> Option<&'a Vec<Value>> {
    schema.get(name).and_then(Value::as_array)
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn has_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_i64().is_some(),
        "number" => value.is_number(),
        _ => true,
    }
}

fn range(least: Option<&Value>, most: Option<&Value>) -> String {
    match (least, most) {
        (Some(least), Some(most)) => format!("must be from {least} to {most}"),
        (Some(least), None) => format!("must be {least} or more"),
        (None, Some(most)) => format!("must be {most} or less"),
        (None, None) => String::new(),
    }
}

/// What the size has to be, if it is not; `of` ends the names of the bounds (`minItems`, `maxItems`).
fn size(schema: &Value, of: &str, size: usize, what: &str) -> Option<String> {
    let limit = |start: &str| schema.get(format!("{start}{of}")).filter(|limit| limit.is_u64());
    let (least, most) = (limit("min"), limit("max"));
    let count = |limit: &Value| limit.as_u64().and_then(|limit| usize::try_from(limit).ok());
    let small = least.and_then(count).is_some_and(|least| size < least);
    let big = most.and_then(count).is_some_and(|most| size > most);
    (small || big).then(|| format!("{} {what}", range(least, most).replace("must be", "must have")))
}

/// What must be different in each element of a list that is a set, or a map by keys.
fn identity(schema: &Value, element: &Value) -> Option<Vec<Value>> {
    match schema.get("x-kubernetes-list-type").and_then(Value::as_str)? {
        "set" => Some(vec![element.clone()]),
        "map" => {
            let keys = list(schema, "x-kubernetes-list-map-keys")?.iter().filter_map(Value::as_str);
            Some(keys.map(|key| element.get(key).cloned().unwrap_or_default()).collect())
        }
        _ => None,
    }
}

/// Whether two names are one slip of a finger apart.
pub(super) fn is_near(a: &str, b: &str) -> bool {
    let common = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| {
        a.zip(b).take_while(|(a, b)| a == b).count()
    };
    let (short, long) = (a.chars().count().min(b.chars().count()), a.chars().count().max(b.chars().count()));
    let head = common(&mut a.chars(), &mut b.chars());
    let tail = common(&mut a.chars().rev(), &mut b.chars().rev());
    // Two letters that changed places are two that differ.
    let slips = if long > 5 { 2 } else { 1 };
    long > 3 && long - short <= 1 && head + tail + slips >= long
}
