//! Takes out of objects what is different by chance: key material becomes a marker, a certificate what it says.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chimera_core::object::Object;
use serde_json::{Value, json};
use x509_parser::pem::Pem;

use crate::compare::Objects;

/// A bundle with more certificates than this carries the roots that operating systems ship.
const FEW: usize = 20;

/// Normalises objects.
pub(crate) fn all(objects: Vec<Object>) -> Objects {
    objects.into_iter().map(|object| (object.key().clone(), one(object))).collect()
}

fn one(object: Object) -> Value {
    let secret = object.key().kind == "Secret";
    let mut value = object.into_value();
    if let Some(Value::Object(data)) = value.get_mut("data") {
        data.values_mut().for_each(|entry| *entry = data_entry(entry, secret));
    }
    bundles(&mut value);
    if let Some(address) = value.pointer_mut("/spec/template/spec/hostAliases/0/ip") {
        *address = "<assigned>".into();
    }
    for parent in ["/metadata/annotations", "/spec/template/metadata/annotations"] {
        let Some(Value::Object(annotations)) = value.pointer_mut(parent) else { continue };
        for (name, value) in annotations.iter_mut().filter(|(name, _)| depends_on_certificates(name)) {
            *value = if name.ends_with("/expiry") { "<time>".into() } else { "<hash>".into() };
        }
    }
    value
}

/// Certificates by which the Kubernetes API knows whom it asks.
fn bundles(value: &mut Value) {
    let webhooks = value.get("webhooks").and_then(Value::as_array).map_or(0, Vec::len);
    let hooks = (0..webhooks).map(|number| format!("/webhooks/{number}/clientConfig/caBundle"));
    for pointer in hooks.chain(["/spec/caBundle".to_owned()]) {
        if let Some(bundle) = value.pointer_mut(&pointer) {
            *bundle = "<ca bundle>".into();
        }
    }
}

/// The CNI configuration's hash is left as it is: it must be the one that pods have already.
fn depends_on_certificates(annotation: &str) -> bool {
    let hash = annotation.contains("hash.operator.tigera.io/") && !annotation.ends_with("/cni-config");
    hash || annotation.ends_with("/expiry")
}

fn data_entry(entry: &Value, secret: bool) -> Value {
    let text = entry.as_str().unwrap_or_default();
    let decoded =
        if secret { String::from_utf8_lossy(&STANDARD.decode(text).unwrap()).into_owned() } else { text.into() };
    if decoded.contains("PRIVATE KEY") {
        return "<private key>".into();
    }
    if decoded.contains("BEGIN CERTIFICATE") {
        return certificates(&decoded);
    }
    if secret { format!("<{} bytes>", decoded.len()).into() } else { entry.clone() }
}

fn certificates(text: &str) -> Value {
    let pems: Vec<_> = Pem::iter_from_buffer(text.as_bytes()).map(Result::unwrap).collect();
    if pems.len() > FEW {
        return json!({"certificates": ["<system roots>"]});
    }
    json!({"certificates": pems.iter().map(certificate).collect::<Vec<_>>()})
}

fn certificate(pem: &Pem) -> Value {
    let certificate = pem.parse_x509().unwrap();
    let names = certificate.subject_alternative_name().unwrap();
    let names: Vec<_> = names.iter().flat_map(|names| &names.value.general_names).map(ToString::to_string).collect();
    let usage = certificate.extended_key_usage().unwrap();
    json!({
        "subject": certificate.subject().to_string(),
        "issuer": certificate.issuer().to_string(),
        "names": names,
        "authority": certificate.is_ca(),
        "server": usage.as_ref().is_some_and(|usage| usage.value.server_auth),
        "client": usage.as_ref().is_some_and(|usage| usage.value.client_auth),
    })
}
