//! One spelling for what means the same, so that objects of built-in kinds can be compared.
//!
//! The API server keeps built-in kinds as Go structs: nulls, empty lists and many zero values are not stored. What a
//! custom resource holds is stored as it is.

use serde_json::{Map, Value};

use crate::object::ObjectKey;

/// Groups whose kinds are part of Kubernetes.
const BUILT_IN: [&str; 17] = [
    "",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "apps",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
];

/// Maps whose keys are the user's words, not fields; and schemas, which say by themselves what a null is.
const FREE: [&str; 15] = [
    "annotations",
    "binaryData",
    "data",
    "hard",
    "labels",
    "limits",
    "matchLabels",
    "nodeSelector",
    "openAPIV3Schema",
    "options",
    "overhead",
    "parameters",
    "requests",
    "stringData",
    "volumeAttributes",
];

/// Fields whose zero value the API server does not store.
const ZERO_IS_UNSET: [&str; 30] = [
    "apiGroup",
    "clusterIP",
    "effect",
    "externalName",
    "globalDefault",
    "healthCheckNodePort",
    "hostIP",
    "hostIPC",
    "hostNetwork",
    "hostPID",
    "hostPort",
    "hostname",
    "initialDelaySeconds",
    "insecureSkipTLSVerify",
    "key",
    "loadBalancerIP",
    "minReadySeconds",
    "namespace",
    "nodePort",
    "operator",
    "paused",
    "priorityClassName",
    "publishNotReadyAddresses",
    "readOnly",
    "stdin",
    "stdinOnce",
    "subPath",
    "tty",
    "value",
    "workingDir",
];

/// Whether a kind is part of Kubernetes.
pub fn is_built_in(key: &ObjectKey) -> bool {
    BUILT_IN.contains(&key.group())
}

/// Leaves out what the API server would not store.
pub fn canonical(key: &ObjectKey, fields: &mut Map<String, Value>) {
    if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
        metadata.retain(|_, value| !is_empty(value));
    }
    if is_built_in(key) {
        tidy(fields, true);
    }
}

fn tidy(fields: &mut Map<String, Value>, top: bool) {
    fields.retain(|name, value| match value {
        Value::Null => false,
        Value::Array(items) => {
            items.iter_mut().filter_map(Value::as_object_mut).for_each(|item| tidy(item, false));
            !items.is_empty()
        }
        Value::Object(below) if FREE.contains(&name.as_str()) => !below.is_empty(),
        // A metadata without any field, as of a pod template, says nothing.
        Value::Object(below) => {
            tidy(below, false);
            top || name != "metadata" || !below.is_empty()
        }
        scalar => !(ZERO_IS_UNSET.contains(&name.as_str()) && is_zero(scalar)),
    });
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Bool(set) => !set,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}
