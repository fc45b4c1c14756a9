//! Fields of an Installation by its CustomResourceDefinition, values that they may get, and whether the schema takes them.

use std::sync::LazyLock;

use chimera_crds::manifests;
use serde_json::{Map, Value, json};

/// One step of a field's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A field of a map.
    Name(String),
    /// An element of a list.
    Item,
    /// A value of a map with the user's own keys.
    Key,
}

/// One field that holds a plain value.
#[derive(Clone, Debug)]
pub struct Field {
    /// Below `spec`.
    pub path: Vec<Step>,
    /// What it may hold.
    pub schema: &'static Value,
}

impl Field {
    /// As messages name it.
    pub fn name(&self) -> String {
        let text = |step: &Step| match step {
            Step::Name(name) => format!(".{name}"),
            Step::Item => "[]".into(),
            Step::Key => "{}".into(),
        };
        format!("spec{}", self.path.iter().map(text).collect::<String>())
    }
}

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let definitions =
        manifests::operator_json().map(|text| serde_json::from_str::<Value>(text).expect("a CRD is JSON"));
    let mut installation = definitions.filter(|crd| crd["spec"]["names"]["kind"] == "Installation");
    let mut crd = installation.next().expect("there is an Installation");
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"].take()
});

static FIELDS: LazyLock<Vec<Field>> = LazyLock::new(|| {
    let mut fields = Vec::new();
    walk(&SCHEMA, &mut Vec::new(), &mut fields);
    fields
});

/// The schema of `spec`.
pub fn schema() -> &'static Value {
    &SCHEMA
}

/// All fields that hold a plain value, in the order of their paths.
pub fn all() -> &'static [Field] {
    &FIELDS
}

fn walk(schema: &'static Value, path: &mut Vec<Step>, fields: &mut Vec<Field>) {
    let mut below = |step: Step, schema: &'static Value| {
        path.push(step);
        walk(schema, path, fields);
        path.pop();
    };
    if let Some(properties) = schema["properties"].as_object() {
        properties.iter().for_each(|(name, schema)| below(Step::Name(name.clone()), schema));
    } else if schema["items"].is_object() {
        below(Step::Item, &schema["items"]);
    } else if schema["additionalProperties"].is_object() {
        below(Step::Key, &schema["additionalProperties"]);
    } else {
        fields.push(Field { path: path.clone(), schema });
    }
}

/// Sets a field of a spec; what is missing on the way is made, with what the schema requires.
pub fn set(spec: &mut Value, field: &Field, value: Value) {
    let (mut at, mut schema) = (spec, schema());
    for step in &field.path {
        complete(at, schema);
        (at, schema) = match step {
            Step::Name(name) => {
                if !at.is_object() {
                    *at = json!({});
                }
                (&mut at[name.as_str()], &schema["properties"][name.as_str()])
            }
            Step::Item => {
                if at.as_array().is_none_or(Vec::is_empty) {
                    *at = json!([null]);
                }
                (&mut at[0], &schema["items"])
            }
            Step::Key => {
                if !at.is_object() {
                    *at = json!({});
                }
                (&mut at["wool"], &schema["additionalProperties"])
            }
        };
    }
    *at = value;
}

/// Fills in what a map must have.
fn complete(value: &mut Value, schema: &Value) {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        if !value.is_object() {
            *value = json!({});
        }
        if value[name].is_null() {
            value[name] = least(&schema["properties"][name]);
        }
    }
}

/// The least that a schema takes.
fn least(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].as_array().and_then(|values| values.first()) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("object") => {
            let mut value = json!({});
            complete(&mut value, schema);
            value
        }
        Some("array") => json!([]),
        Some("integer" | "number") => schema["minimum"].as_i64().unwrap_or(1).into(),
        Some("boolean") => json!(true),
        _ => json!("wool"),
    }
}

/// Values to try on a field: what fits, what is at the edge, and what is far off.
pub fn corpus(schema: &Value) -> Vec<Value> {
    let mut values = match schema["type"].as_str() {
        Some("integer" | "number") => numbers(),
        Some("boolean") => vec![json!(true), json!(false), json!("true"), json!(1)],
        Some("string") => texts(),
        _ => numbers().into_iter().chain(texts()).collect(),
    };
    values.extend(schema["enum"].as_array().into_iter().flatten().cloned());
    values.extend([Value::Null, json!({}), json!([]), json!([null]), json!({"a": {"b": []}})]);
    values
}

fn numbers() -> Vec<Value> {
    let whole =
        [i64::MIN, -2_147_483_649, -1, 0, 1, 31, 33, 128, 129, 65_535, 65_536, 2_147_483_647, 2_147_483_648, i64::MAX];
    let mut values: Vec<_> = whole.into_iter().map(Value::from).collect();
    values.extend([json!(1e308), json!(1.5), json!("10"), json!("10%"), json!("-1"), json!(u64::MAX)]);
    values
}

fn texts() -> Vec<Value> {
    let long = |length| "a".repeat(length);
    let fixed = [
        "",
        " ",
        "a",
        "A",
        "-a",
        "a-",
        "a.",
        ".",
        "..",
        "../..",
        "/",
        "//",
        "a b",
        "\n",
        "nul\0",
        "é",
        "日本",
        "\u{202e}abc",
        "🐑",
        "v3.30.0+x",
        "latest",
        "sha256:00",
        "@",
        "a@b",
        "a:b",
        ":1",
        "10%",
        "101%",
        "-1%",
        "0",
        "-1",
        "1Gi",
        "1e400",
        "10m",
        "1.5.0",
        "192.168.0.0/16",
        "192.168.0.0/33",
        "192.168.0.1",
        "256.0.0.0/8",
        "::/0",
        "fd00::/48",
        "fd00::/129",
        "0.0.0.0/0",
        "all()",
        "!all(",
        "has(x) && ",
        "kubernetes.io/os == 'linux'",
        "$(HOME)",
        "{{ x }}",
        "null",
        "true",
        "registry.example.com/",
        "eth.*",
        "[",
        "(?P<",
        "example.com",
        "Enabled",
        "enabled",
    ];
    let mut values: Vec<_> = fixed.into_iter().map(Value::from).collect();
    values.extend([63, 64, 253, 254].map(|length| long(length).into()));
    // Cutting at 63 bytes would cut these in two.
    values.extend(["é", "日", "🐑"].map(|wide| Value::from(long(62) + wide + &long(10))));
    values.extend([json!(0), json!(-1), json!(true)]);
    values
}

/// Why the schema does not take a value, as the API server sees it; rules in CEL are not looked at.
pub fn violation(schema: &Value, value: &Value, path: &str) -> Option<String> {
    let wrong = |what: &str| Some(format!("{path}: {what}"));
    if value.is_null() {
        return if schema["nullable"] == true { None } else { wrong("null") };
    }
    if schema["x-kubernetes-int-or-string"] == true {
        let fits = value.is_string() || value.as_i64().is_some();
        return if fits { pattern(schema, value, path) } else { wrong("neither a whole number nor text") };
    }
    let fits = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => {
            value.as_i64().is_some_and(|number| schema["format"] != "int32" || i32::try_from(number).is_ok())
        }
        Some("number") => value.is_number(),
        _ => true,
    };
    if !fits {
        return wrong("another type");
    }
    if schema["enum"].as_array().is_some_and(|values| !values.contains(value)) {
        return wrong("not one of the values");
    }
    bounds(schema, value)
        .and_then(wrong)
        .or_else(|| pattern(schema, value, path))
        .or_else(|| inside(schema, value, path))
}

fn bounds(schema: &Value, value: &Value) -> Option<&'static str> {
    let limit = |name: &str| schema[name].as_f64();
    let number = value.as_f64();
    let size = value.as_str().map(|text| text.chars().count()).or_else(|| value.as_array().map(Vec::len));
    let size = size.map(|size| size as f64);
    let below =
        |value: Option<f64>, name: &str| matches!((value, limit(name)), (Some(value), Some(limit)) if value < limit);
    let above =
        |value: Option<f64>, name: &str| matches!((value, limit(name)), (Some(value), Some(limit)) if value > limit);
    let small = below(number, "minimum") || below(size, "minLength") || below(size, "minItems");
    let big = above(number, "maximum") || above(size, "maxLength") || above(size, "maxItems");
    (small || big).then_some("out of bounds")
}

/// Patterns need a library of their own to be checked; a value of a field with one counts as refused.
fn pattern(schema: &Value, value: &Value, path: &str) -> Option<String> {
    let checked = schema["pattern"].is_string() || matches!(schema["format"].as_str(), Some("cidr" | "byte"));
    (checked && value.is_string()).then(|| format!("{path}: may not have the right form"))
}

fn inside(schema: &Value, value: &Value, path: &str) -> Option<String> {
    if let Value::Array(items) = value {
        return items
            .iter()
            .enumerate()
            .find_map(|(at, item)| violation(&schema["items"], item, &format!("{path}[{at}]")));
    }
    let fields = value.as_object()?;
    let missing = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .find(|name| !fields.contains_key(*name));
    if let Some(name) = missing {
        return Some(format!("{path}.{name}: missing"));
    }
    fields.iter().find_map(|(name, value)| {
        let schema = schema["properties"]
            .get(name)
            .or_else(|| schema.get("additionalProperties"))
            .filter(|schema| schema.is_object());
        violation(schema?, value, &format!("{path}.{name}"))
    })
}

/// What the API server keeps of a value: unknown fields go, and so do nulls where none may be.
pub fn prune(schema: &Value, value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| prune(&schema["items"], item)),
        Value::Object(fields) => {
            let known = |name: &str| {
                schema["properties"]
                    .get(name)
                    .or_else(|| schema.get("additionalProperties"))
                    .filter(|schema| schema.is_object())
            };
            let keep: Map<_, _> = std::mem::take(fields)
                .into_iter()
                .filter_map(|(name, mut value)| {
                    let Some(schema) = known(&name) else {
                        return (schema["x-kubernetes-preserve-unknown-fields"] == true).then_some((name, value));
                    };
                    if value.is_null() && schema["nullable"] != true {
                        return None;
                    }
                    prune(schema, &mut value);
                    Some((name, value))
                })
                .collect();
            *fields = keep;
        }
        _ => {}
    }
}
