//! What kube-apiserver fills in when it stores an object, filled in here.
//!
//! Only so can a desired object be compared with a live one: the API server records its defaults as set by whoever
//! wrote the object. The defaults are those of Kubernetes v1.36 for the kinds that an operator writes; a kind that is
//! not known stays as it is.

mod container;
mod extensions;
mod fill;
mod pods;
mod service;
mod volumes;
mod workloads;

pub mod canonical;

use serde_json::{Map, Value};

use crate::object::{Object, ObjectKey, edit_map};
use fill::{made, set};

/// Fills in the API server's defaults, and leaves out what it would not store (nulls, empty lists, zeroes that mean
/// unset).
pub fn default(object: &mut Object) {
    let key = object.key().clone();
    canonical::canonical(&key, object.fields_mut());
    defaults(&key, object.fields_mut());
}

fn defaults(key: &ObjectKey, fields: &mut Map<String, Value>) {
    match (key.group(), key.kind.as_str()) {
        ("", "Namespace") => namespace(&key.name, fields),
        ("", "Secret") => secret(fields),
        ("", "Service") => made(fields, "spec", service::defaults),
        ("apps" | "batch", kind) => workloads::defaults(kind, fields),
        ("autoscaling", "HorizontalPodAutoscaler") => made(fields, "spec", |spec| set(spec, "minReplicas", 1)),
        (group, kind) => extensions::defaults(group, kind, fields),
    }
}

fn namespace(name: &str, fields: &mut Map<String, Value>) {
    made(fields, "metadata", |metadata| {
        made(metadata, "labels", |labels| set(labels, "kubernetes.io/metadata.name", name));
    });
    made(fields, "spec", |spec| set(spec, "finalizers", vec!["kubernetes"]));
}

fn secret(fields: &mut Map<String, Value>) {
    set(fields, "type", "Opaque");
    let Some(Value::Object(texts)) = fields.remove("stringData") else { return };
    edit_map(fields, "data", |data| {
        for (name, text) in texts {
            data.insert(name, fill::base64(&text));
        }
    });
}

#[cfg(test)]
mod tests;
