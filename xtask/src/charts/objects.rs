//! From what helm prints to objects that the operator can apply.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, bail, ensure};
use chimera_core::object::Object;
use serde_json::Value;

/// Kinds without a namespace. Charts leave it out of other objects where it is that of the release.
const CLUSTER: [&str; 15] = [
    "APIService",
    "CSIDriver",
    "ClusterRole",
    "ClusterRoleBinding",
    "CustomResourceDefinition",
    "GatewayClass",
    "IngressClass",
    "MutatingWebhookConfiguration",
    "Namespace",
    "PriorityClass",
    "RuntimeClass",
    "StorageClass",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
];

/// The documents, each in its namespace. Hooks are objects like others here: the operator has an order of its own.
pub(super) fn of(text: &str, namespace: &str) -> Result<Vec<Object>> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(text).context("failed to read YAML")?;
    let mut objects = Vec::new();
    for mut document in documents.into_iter().filter(|document| !document.is_null()) {
        let kind = document.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
        let metadata = document.get_mut("metadata").and_then(Value::as_object_mut);
        let Some(metadata) = metadata else { bail!("a {kind} has no metadata") };
        if CLUSTER.contains(&kind.as_str()) {
            metadata.remove("namespace");
        } else {
            metadata.entry("namespace").or_insert_with(|| namespace.into());
        }
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.retain(|name, _| !name.starts_with("helm.sh/"));
        }
        objects.push(Object::from_value(document).context("a document is no object")?);
    }
    ensure!(!objects.is_empty(), "the chart comes to nothing");
    Ok(objects)
}

/// Two charts that make the same object would contradict each other.
pub(super) fn check(objects: &[Object]) -> Result<()> {
    let mut seen = BTreeSet::new();
    for object in objects {
        ensure!(seen.insert(object.key()), "the charts make {} twice", object.key());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_get_the_namespace_of_the_release_unless_they_have_none_or_their_own() {
        let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: wool}\n---\n---\napiVersion: v1\nkind: Secret\n\
            metadata: {name: key, namespace: barn}\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n\
            metadata: {name: dog, annotations: {helm.sh/hook: pre-install, own: kept}}\n";
        let objects = of(text, "meadow").unwrap();
        let names: Vec<_> = objects.iter().map(|object| object.key().to_string()).collect();
        assert_eq!(names, ["ConfigMap meadow/wool", "Secret barn/key", "ClusterRole dog"]);
        let annotations = objects.last().unwrap().pointer("/metadata/annotations").unwrap();
        assert_eq!(*annotations, serde_json::json!({"own": "kept"}));
    }

    #[test]
    fn what_is_no_object_or_there_twice_is_refused() {
        assert!(of("kind: Sheep\n", "meadow").is_err());
        assert!(of("", "meadow").is_err());
        let twice = "{apiVersion: v1, kind: ConfigMap, metadata: {name: wool}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: wool}}\n";
        let error = check(&of(twice, "meadow").unwrap()).unwrap_err().to_string();
        assert_eq!(error, "the charts make ConfigMap meadow/wool twice");
    }
}
