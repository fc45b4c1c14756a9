//! Bundles, and what the operator needs to apply them.

use serde_json::{Value, json};

use super::*;

fn object(value: Value) -> Object {
    Object::from_value(value).unwrap()
}

fn named(api_version: &str, kind: &str, name: &str) -> Object {
    object(json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": "tigera-gateway"}}))
}

fn bundle() -> Bundle {
    let crd = |name: &str| {
        object(json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": name}}))
    };
    let role = object(json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": {"name": "sheep"}, "rules": [{"apiGroups": ["farm"], "resources": ["wool"], "verbs": ["shear"]}]}));
    let objects = vec![
        named("apps/v1", "Deployment", "dog"),
        named("batch/v1", "Job", "shear"),
        crd("wool.farm.example.com"),
        role,
        crd("milk.farm.example.com"),
        named("v1", "ServiceAccount", "dog"),
        named("farm/v1", "Fence", "north"),
    ];
    Bundle::new(vec![Chart { name: "farm".into(), version: "1.2.3".into() }], objects)
}

fn written(bundle: &Bundle) -> Vec<u8> {
    let mut bytes = Vec::new();
    bundle.write(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_bundle_is_read_as_it_was_written() {
    let (bundle, bytes) = (bundle(), written(&bundle()));
    assert_eq!(Bundle::read(bytes.as_slice(), |_| true).unwrap(), bundle);
    assert_eq!(bundle.label(), "farm 1.2.3");
}

#[test]
fn what_others_need_comes_first_and_what_runs_pods_last() {
    let kinds: Vec<_> = bundle().objects.iter().map(|object| object.key().kind.clone()).collect();
    assert_eq!(kinds, ["ServiceAccount", "ClusterRole", "Fence", "Job", "Deployment"]);
}

#[test]
fn only_the_definitions_that_are_wanted_are_kept() {
    let bundle = Bundle::read(written(&bundle()).as_slice(), |name| name.starts_with("wool")).unwrap();
    let names: Vec<_> = bundle.definitions.iter().map(|object| object.key().name.as_str()).collect();
    assert_eq!((names, bundle.objects.len()), (vec!["wool.farm.example.com"], 5));
}

#[test]
fn what_is_no_bundle_or_one_of_another_release_is_refused() {
    let read = |text: &str| Bundle::read(text.as_bytes(), |_| true).unwrap_err().to_string();
    assert_eq!(read(""), "failed to read a chart bundle without a head");
    assert_eq!(read("sheep\n"), "failed to read line 1 of a chart bundle");
    assert!(read("{\"format\":7,\"charts\":[]}\n").contains("of format 7"));
    let line = "{\"format\":1,\"charts\":[]}\n{\"kind\":\"Sheep\"}\n";
    assert_eq!(read(line), "failed to read line 2 of a chart bundle");
}

#[test]
fn the_operator_is_granted_what_the_charts_hold_and_hand_on_and_no_more() {
    let [role, binding, namespaced] = grants(Charts::Gateway, &bundle(), "meadow");
    let rules = |role: &Value| role["rules"].as_array().unwrap().clone();
    let has = |role: &Value, rule: Value| assert!(rules(role).contains(&rule), "{rule} is not in {role:#}");
    has(&role, json!({"apiGroups": ["farm"], "resources": ["wool"], "verbs": ["shear"]}));
    has(
        &role,
        json!({"apiGroups": ["apiextensions.k8s.io"], "resources": ["customresourcedefinitions"],
        "resourceNames": ["milk.farm.example.com", "wool.farm.example.com"], "verbs": ["get", "update"]}),
    );
    has(&namespaced, json!({"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["create"]}));
    assert!(!namespaced.to_string().contains("deployments"), "its usual rights say that");
    assert!(!role.to_string().contains("jobs"), "not in the whole cluster");
    assert_eq!(binding["subjects"][0]["namespace"], "meadow");
    assert_eq!(binding["roleRef"]["name"], role["metadata"]["name"]);
}
