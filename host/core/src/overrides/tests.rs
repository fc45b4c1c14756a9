//! Overrides on a workload of no particular kind.

use serde_json::{Value, json};

use super::workload::lay_on;
use crate::object::Object;
use crate::provenance::{Origin, Provenance};

fn sheep(wanted: &Value) -> Value {
    let container =
        json!({"name": "wool", "resources": {"limits": {"cpu": "1"}}, "livenessProbe": {"periodSeconds": 60}});
    let spec =
        json!({"containers": [container], "tolerations": [{"operator": "Exists"}], "nodeSelector": {"farm": "a"}});
    let mut object = Object::from_value(json!({"apiVersion": "apps/v1", "kind": "DaemonSet",
        "metadata": {"name": "sheep", "namespace": "meadow", "labels": {"breed": "own"}},
        "spec": {"template": {"metadata": {}, "spec": spec}}}))
    .unwrap();
    lay_on(&mut object, wanted);
    object.into_value()
}

fn pod(spec: &Value) -> Value {
    sheep(&json!({"spec": {"template": {"spec": spec}}}))
}

#[test]
fn labels_are_added_and_the_operators_own_stay() {
    let object = sheep(&json!({"metadata": {"labels": {"breed": "other", "k8s-app": "other", "team": "net"}}}));
    assert_eq!(object["metadata"]["labels"], json!({"breed": "own", "team": "net"}));
}

#[test]
fn lists_are_replaced_and_node_labels_are_added() {
    let object = pod(&json!({"tolerations": [{"key": "fox"}], "nodeSelector": {"farm": "b", "pool": "c"}}));
    let spec = &object["spec"]["template"]["spec"];
    assert_eq!(spec["tolerations"], json!([{"key": "fox"}]));
    assert_eq!(spec["nodeSelector"], json!({"farm": "a", "pool": "c"}));
}

#[test]
fn a_container_gets_resources_as_a_whole_and_timing_piece_by_piece() {
    let wanted =
        json!({"name": "wool", "resources": {"requests": {"cpu": "2"}}, "livenessProbe": {"timeoutSeconds": 9}});
    let object = pod(&json!({"containers": [wanted]}));
    let container = &object["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["resources"], json!({"requests": {"cpu": "2"}}));
    assert_eq!(container["livenessProbe"], json!({"periodSeconds": 60, "timeoutSeconds": 9}));
    let said = &object["metadata"]["annotations"]["operator.tigera.io/custom-overrides"];
    assert_eq!(said, "livenessProbe,resources");
}

#[test]
fn what_is_not_there_is_not_made_up() {
    let wanted = json!([{"name": "wool", "startupProbe": {"timeoutSeconds": 9}}, {"name": "milk", "resources": {}}]);
    assert_eq!(pod(&json!({"containers": wanted})), pod(&json!({})));
}

#[test]
fn a_budget_is_stated_one_way_only() {
    let mut object = Object::from_value(json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": "sheep", "namespace": "meadow"}, "spec": {"maxUnavailable": 1, "selector": {}}}))
    .unwrap();
    lay_on(&mut object, &json!({"spec": {"minAvailable": "50%"}}));
    assert_eq!(object.into_value()["spec"], json!({"minAvailable": "50%", "selector": {}}));
}

#[test]
fn what_a_plugin_set_gives_way_to_what_the_user_states() {
    let before = sheep(&json!({}));
    let mut after = before.clone();
    after["metadata"]["labels"]["team"] = json!("plugin");
    after["spec"]["template"]["metadata"] = json!({"annotations": {"farm.example/by": "plugin", "other": "plugin"}});
    let (before, mut object) = (Object::from_value(before).unwrap(), Object::from_value(after).unwrap());
    let mut plugins = Provenance::default();
    let origin = Origin::Plugin { name: "shears".into(), digest: "sha256:1".into() };
    plugins.record(Some(&before), &object, &origin);

    let annotations = json!({"farm.example/by": "user"});
    let wanted = json!({"metadata": {"labels": {"team": "user", "breed": "user"}},
        "spec": {"template": {"metadata": {"annotations": annotations}}}});
    super::give_way(&mut object, &wanted, plugins.of(before.key()));
    lay_on(&mut object, &wanted);
    let object = object.into_value();
    assert_eq!(object["metadata"]["labels"], json!({"breed": "own", "team": "user"}));
    let annotations = &object["spec"]["template"]["metadata"]["annotations"];
    assert_eq!(*annotations, json!({"farm.example/by": "user", "other": "plugin"}));
}

#[test]
fn what_a_pod_requests_is_what_its_main_container_requests_and_node_labels_replace_those_of_a_chart() {
    let wanted = json!({"spec": {"template": {"spec": {
        "resources": {"limits": {"cpu": "2"}}, "nodeSelector": {"pool": "mesh"}, "tolerations": [{"key": "fox"}]}}}});
    let wanted = super::main_container::shape(wanted, "wool");
    let mut object = Object::from_value(sheep(&json!({}))).unwrap();
    super::main_container::lay_on(&mut object, &wanted);
    let spec = object.pointer("/spec/template/spec").unwrap();
    assert_eq!(spec["containers"][0]["resources"], json!({"limits": {"cpu": "2"}}));
    assert_eq!(spec["nodeSelector"], json!({"pool": "mesh"}));
    assert_eq!(spec["tolerations"], json!([{"key": "fox"}]));
    assert_eq!(spec.get("resources"), None);
}
