//! Variables that are fields of FelixConfiguration, by the schema of that resource.

use chimera_crds::manifests;
use chimera_crds::projectcalico::ApiGroup;
use serde_json::{Map, Value, json};

use super::super::report::Report;
use super::super::variables::Variables;
use crate::object::Object;

/// Variables whose field has another name.
const RENAMED: [(&str, &str); 3] =
    [("IPINIPENABLED", "ipipEnabled"), ("IPINIPMTU", "ipipMTU"), ("EXTERNALNODESCIDRLIST", "externalNodesList")];
const WHAT: &str = "set it in FelixConfiguration default by hand and take the variable out of the manifest";

/// Each variable becomes a field, unless the resource says something else already.
pub(super) fn convert(variables: &mut Variables, existing: Option<&Object>, report: &mut Report) {
    let names = variables.names("FELIX_");
    if names.is_empty() {
        return;
    }
    let schema = schema();
    for name in names {
        let field = variables.field(&name);
        let Some(text) = variables.take(&name, report) else { continue };
        let found = schema.as_ref().and_then(|schema| property(schema, name.trim_start_matches("FELIX_")));
        let value = found.and_then(|(property, schema)| Some((property, value(property, &text, schema)?)));
        match value {
            Some((property, value)) => carry(&field, &text, property, value, existing, report),
            None => report.blocked(&field, text, WHAT),
        }
    }
}

/// What the variable says is what runs, for Felix prefers it to the resource.
fn carry(field: &str, text: &str, property: &str, value: Value, existing: Option<&Object>, report: &mut Report) {
    let there = existing.and_then(|object| object.pointer(&format!("/spec/{property}")));
    match there {
        Some(there) if *there != value => {
            let what = format!(
                "FelixConfiguration default has spec.{property} {there}, which would come to hold; make both the same, or \
                 take the variable out"
            );
            report.blocked(field, text, what);
        }
        Some(_) => report.same(field, text),
        None => report.carried_to_felix(field, text, property, value),
    }
}

fn schema() -> Option<Map<String, Value>> {
    let mut all = manifests::projectcalico_json(ApiGroup::V1);
    let text = all.find(|text| text.contains("\"kind\":\"FelixConfiguration\""))?;
    let mut crd: Value = serde_json::from_str(text).ok()?;
    let spec = crd.pointer_mut("/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties")?;
    match spec.take() {
        Value::Object(properties) => Some(properties),
        _ => None,
    }
}

fn property<'a>(schema: &'a Map<String, Value>, name: &str) -> Option<(&'a str, &'a Value)> {
    let name = RENAMED.iter().find(|(variable, _)| *variable == name).map_or(name, |(_, field)| field);
    schema
        .iter()
        .find(|(property, _)| property.eq_ignore_ascii_case(name))
        .map(|(name, schema)| (name.as_str(), schema))
}

/// The text in the type of the field; none if it cannot be said there.
fn value(property: &str, text: &str, schema: &Value) -> Option<Value> {
    let kind = schema.get("type").and_then(Value::as_str);
    match (kind, property) {
        (_, "failsafeInboundHostPorts" | "failsafeOutboundHostPorts") => ports(text),
        (_, "routeTableRange") => range(text),
        (Some("boolean"), _) => boolean(text),
        (Some("integer"), _) => integer(text),
        (Some("string"), _) => Some(string(text, schema).into()),
        (Some("array"), _) => {
            let of_texts = schema.pointer("/items/type") == Some(&json!("string"));
            of_texts.then(|| text.split(',').map(str::trim).filter(|text| !text.is_empty()).collect())
        }
        // Numbers or ranges such as `30000:40000`.
        (None, _) if schema.get("x-kubernetes-int-or-string").is_some() => {
            Some(text.parse::<u64>().map_or_else(|_| text.into(), Into::into))
        }
        _ => None,
    }
}

fn boolean(text: &str) -> Option<Value> {
    match text.to_lowercase().as_str() {
        "true" | "1" | "yes" | "y" | "t" => Some(true.into()),
        "false" | "0" | "no" | "n" | "f" => Some(false.into()),
        _ => None,
    }
}

fn integer(text: &str) -> Option<Value> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    number.ok().map(Into::into)
}

/// In the spelling of the enum, and a time with its unit: variables count seconds.
fn string(text: &str, schema: &Value) -> String {
    let spellings = schema.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    if let Some(spelling) = spellings.into_iter().find(|spelling| spelling.eq_ignore_ascii_case(text)) {
        return spelling.into();
    }
    let pattern = schema.get("pattern").and_then(Value::as_str).unwrap_or_default();
    let is_time = pattern.contains("(ms|s|m|h)");
    if is_time && text.parse::<f64>().is_ok() {
        return format!("{text}s");
    }
    match pattern.starts_with("^(?i)(") {
        true => capitalised(text, pattern),
        false => text.into(),
    }
}

/// Patterns of words list them: `^(?i)(Drop|Accept|Return)?$`.
fn capitalised(text: &str, pattern: &str) -> String {
    let words = pattern.trim_start_matches("^(?i)(").split(')').next().unwrap_or_default();
    words.split('|').find(|word| word.eq_ignore_ascii_case(text)).unwrap_or(text).into()
}

/// `tcp:22, udp:10.0.0.0/8:68`, or `none`.
fn ports(text: &str) -> Option<Value> {
    if text.eq_ignore_ascii_case("none") {
        return Some(json!([]));
    }
    text.split(',').map(|entry| port(entry.trim())).collect::<Option<Vec<_>>>().map(Into::into)
}

fn port(entry: &str) -> Option<Value> {
    let (protocol, rest) = entry.split_once(':').unwrap_or(("tcp", entry));
    let (net, port) = match rest.rsplit_once(':') {
        Some((net, port)) => (Some(net.trim_start_matches('[').trim_end_matches(']')), port),
        None => (None, rest),
    };
    let port: u16 = port.parse().ok()?;
    Some(match net {
        Some(net) => json!({"protocol": protocol, "net": net, "port": port}),
        None => json!({"protocol": protocol, "port": port}),
    })
}

/// `1-250`.
fn range(text: &str) -> Option<Value> {
    let (min, max) = text.split_once('-')?;
    Some(json!({"min": min.trim().parse::<u32>().ok()?, "max": max.trim().parse::<u32>().ok()?}))
}
