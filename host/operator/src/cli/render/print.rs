//! Prints what was rendered; key material is never among it.

use std::collections::BTreeMap;
use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chimera_core::object::Object;
use chimera_core::provenance::Origin;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::offline::Rendered;
use crate::args::RenderOutput;

/// Stands for what is not printed.
const REDACTED: &str = "<redacted>";

/// Prints in the given form.
pub(super) fn print(rendered: &Rendered, output: RenderOutput) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    let objects = rendered.objects.iter().cloned().map(printable);
    match output {
        RenderOutput::Yaml => {
            for object in objects {
                write!(out, "---\n{}", yaml(&object)?)?;
            }
        }
        RenderOutput::Json => {
            let list = json!({"apiVersion": "v1", "kind": "List", "items": objects.collect::<Vec<_>>()});
            serde_json::to_writer_pretty(&mut out, &list)?;
            writeln!(out)?;
        }
        RenderOutput::Origins => write!(out, "{}", yaml(&origins(rendered))?)?,
    }
    out.flush()
}

fn yaml(value: &impl Serialize) -> io::Result<String> {
    serde_saphyr::to_string(value).map_err(io::Error::other)
}

/// Object, then field, then who set it: only what a plugin set. Policies hold for every workload alike.
fn origins(rendered: &Rendered) -> BTreeMap<&str, BTreeMap<&str, String>> {
    let plugin = |(field, origin): (&'_ String, &Origin)| match origin {
        Origin::Plugin { name, digest } => Some((field.clone(), format!("plugin {name}@{digest}"))),
        Origin::Override { .. } | Origin::Policy => None,
    };
    let mut all = BTreeMap::new();
    for (object, fields) in rendered.provenance.all() {
        let fields: BTreeMap<&str, String> = fields
            .iter()
            .filter_map(|(field, origin)| plugin((field, origin)).map(|(_, who)| (field.as_str(), who)))
            .collect();
        if !fields.is_empty() {
            all.insert(object.as_str(), fields);
        }
    }
    all
}

/// An object as it may be shown: of a Secret only certificates.
fn printable(object: Object) -> Value {
    let is_secret = object.key().api_version == "v1" && object.key().kind == "Secret";
    let mut value = object.into_value();
    if let (true, Some(object)) = (is_secret, value.as_object_mut()) {
        redact(object);
    }
    value
}

fn redact(secret: &mut Map<String, Value>) {
    let data = secret.remove("data");
    let (mut shown, mut hidden) = (Map::new(), secret.remove("stringData").map(|_| Map::new()).unwrap_or_default());
    for (name, value) in data.as_ref().and_then(Value::as_object).into_iter().flatten() {
        if is_certificate(value) {
            shown.insert(name.clone(), value.clone());
        } else {
            hidden.insert(name.clone(), REDACTED.into());
        }
    }
    for (name, map) in [("data", shown), ("stringData", hidden)] {
        if !map.is_empty() {
            secret.insert(name.into(), map.into());
        }
    }
}

fn is_certificate(value: &Value) -> bool {
    let bytes = value.as_str().and_then(|text| STANDARD.decode(text).ok()).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    text.contains("BEGIN CERTIFICATE") && !text.contains("PRIVATE KEY")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_secret_only_certificates_are_shown() {
        let encode = |text: &str| STANDARD.encode(text);
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "barn"}, "data": {
            "tls.crt": encode("-----BEGIN CERTIFICATE-----"), "tls.key": encode("-----BEGIN PRIVATE KEY-----"),
            "both": encode("BEGIN CERTIFICATE PRIVATE KEY"), "password": encode("hay")}});
        let shown = printable(Object::from_value(secret).unwrap());
        assert_eq!(shown["data"].as_object().unwrap().keys().collect::<Vec<_>>(), ["tls.crt"]);
        assert_eq!(shown["stringData"], json!({"both": REDACTED, "password": REDACTED, "tls.key": REDACTED}));
    }
}
