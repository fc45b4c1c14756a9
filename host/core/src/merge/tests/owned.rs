//! Workloads: lists keyed by name, defaults of the API server, what others put in.

use serde_json::{Value, json};

use super::{fields, stored};
use crate::defaulting;
use crate::merge::{ChangeKind, Plan, Update, plan};
use crate::object::Object;

fn daemon_set(spec: Value) -> Object {
    Object::from_value(json!({"apiVersion": "apps/v1", "kind": "DaemonSet",
        "metadata": {"name": "sheep", "namespace": "meadow"},
        "spec": {"selector": {"matchLabels": {"k8s-app": "sheep"}}, "template": {"spec": spec}}}))
    .unwrap()
}

/// What the API server keeps of it, all set by the operator (the leaf of the field set stands for everything).
fn live(object: &Object) -> Value {
    let mut object = object.clone();
    defaulting::default(&mut object);
    let mut live = object.into_value();
    let entry = json!({"manager": "operator", "operation": "Update", "fieldsV1": {"f:spec": {}, "f:metadata": {}}});
    live["metadata"]["managedFields"] = json!([entry]);
    live["metadata"]["uid"] = "u".into();
    live["status"] = json!({"numberReady": 3});
    live
}

#[track_caller]
fn update(live: &Value, desired: &Object) -> Update {
    let Plan::Update(update) = plan(live, desired, false) else { panic!("nothing to write") };
    assert_eq!(plan(&stored(&update.object, live), desired, false), Plan::Unchanged);
    update
}

fn two() -> Object {
    daemon_set(json!({
        "containers": [
            {"name": "graze", "image": "a:1", "env": [{"name": "A", "value": "1"}, {"name": "EMPTY", "value": ""}],
                "ports": [{"containerPort": 80}], "resources": {"requests": {"cpu": "1000m", "memory": "1024Mi"}}},
            {"name": "shear", "image": "b:1"}],
        "volumes": [{"name": "v", "hostPath": {"path": "/v"}}]}))
}

#[test]
fn defaults_of_the_api_server_are_no_difference() {
    let mut live = live(&two());
    live["spec"]["template"]["metadata"] = json!({"creationTimestamp": null});
    live["metadata"]["annotations"] = json!({"deprecated.daemonset.template.generation": "1"});
    live["spec"]["template"]["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": "1", "memory": "1Gi"}});
    assert_eq!(plan(&live, &two(), false), Plan::Unchanged);
}

#[test]
fn a_default_that_is_not_known_is_a_removal_only() {
    let mut live = live(&two());
    live["spec"]["template"]["spec"]["containers"][0]["newDefault"] = "x".into();
    live["spec"]["template"]["spec"]["containers"][0]["ports"][0]["newDefault"] = "x".into();
    let update = update(&live, &two());
    assert!(update.changes.iter().all(|change| change.kind == ChangeKind::Removed), "{:?}", update.changes);
}

#[test]
fn containers_follow_desired_in_number_and_order() {
    let mut live = live(&two());
    let containers = live["spec"]["template"]["spec"]["containers"].as_array_mut().unwrap();
    containers.insert(0, json!({"name": "wolf", "image": "w"}));
    let update = update(&live, &two());
    let names: Vec<_> = update.object["spec"]["template"]["spec"]["containers"].as_array().unwrap().iter().collect();
    let names: Vec<_> = names.iter().map(|container| container["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["graze", "shear"]);
    assert_eq!(fields(&update), ["spec.template.spec.containers"]);
}

#[test]
fn a_restored_field_of_a_container_is_named_by_the_container() {
    let mut live = live(&two());
    live["spec"]["template"]["spec"]["containers"][1]["image"] = "evil:1".into();
    live["spec"]["template"]["spec"]["containers"][0]["env"][1]["value"] = "set".into();
    live["metadata"]["managedFields"][0]["fieldsV1"] = json!({});
    live["metadata"]["managedFields"].as_array_mut().unwrap().push(
        json!({"manager": "kubectl-edit", "operation": "Update",
        "fieldsV1": {"f:spec": {"f:template": {"f:spec": {"f:containers": {
            "k:{\"name\":\"shear\"}": {"f:image": {}}}}}}}}),
    );
    live["metadata"]["managedFields"][0]["fieldsV1"] = json!({"f:metadata": {}});
    let update = update(&live, &two());
    let image = update.changes.iter().find(|change| change.field.ends_with("image")).unwrap();
    assert_eq!(image.field, "spec.template.spec.containers[shear].image");
    assert_eq!(image.pointer, "/spec/template/spec/containers/1/image");
    assert_eq!(image.manager.as_deref(), Some("kubectl-edit"));
    assert!(fields(&update).contains(&"spec.template.spec.containers[graze].env[EMPTY].value"));
}

#[test]
fn what_others_put_into_a_pod_template_stays() {
    let mut live = live(&two());
    let restarted = json!({"annotations": {"kubectl.kubernetes.io/restartedAt": "now"}});
    live["spec"]["template"]["metadata"] = restarted;
    live["metadata"]["managedFields"].as_array_mut().unwrap().push(json!({"manager": "kubectl-rollout",
        "operation": "Update", "fieldsV1": {"f:spec": {"f:template": {"f:metadata": {"f:annotations": {
            ".": {}, "f:kubectl.kubernetes.io/restartedAt": {}}}}}}}));
    assert_eq!(plan(&live, &two(), false), Plan::Unchanged);
}

#[test]
fn a_volume_of_another_source_loses_the_former_one_whoever_set_it() {
    let mut live = live(&two());
    live["metadata"]["managedFields"] = json!([]);
    let desired = daemon_set(json!({"volumes": [{"name": "v", "emptyDir": {}}]}));
    let update = update(&live, &desired);
    assert_eq!(update.object["spec"]["template"]["spec"]["volumes"], json!([{"name": "v", "emptyDir": {}}]));
}

#[test]
fn what_cannot_stand_together_is_taken_out() {
    let probe = |handler: Value| {
        let mut container = json!({"name": "graze", "image": "a:1", "livenessProbe": handler});
        container["env"] = json!([{"name": "A"}]);
        daemon_set(json!({"containers": [container]}))
    };
    let mut live = live(&probe(json!({"exec": {"command": ["a"]}})));
    live["metadata"]["managedFields"] = json!([]);
    let update = update(&live, &probe(json!({"httpGet": {"port": 80}})));
    let probe = &update.object["spec"]["template"]["spec"]["containers"][0]["livenessProbe"];
    assert!(probe.get("exec").is_none() && probe.get("httpGet").is_some(), "{probe}");
}

#[test]
fn dropped_affinity_goes_and_its_empty_parents_with_it() {
    let with = daemon_set(json!({"affinity": {"podAntiAffinity": {"required": [{"topologyKey": "z"}]}}}));
    let update = update(&live(&with), &daemon_set(json!({})));
    assert_eq!(fields(&update), ["spec.template.spec.affinity"]);
    assert_eq!(update.changes.first().unwrap().kind, ChangeKind::Removed);
}
