//! One table a rule. Live objects say who set what as the API server does.

mod hashes;
mod kinds;
mod owned;

use serde_json::{Value, json};

use super::*;

/// A ConfigMap-like custom resource; `ours` and `theirs` are field sets.
fn live(body: Value, ours: Value, theirs: Value) -> Value {
    let mut object = json!({"apiVersion": "farm.example.com/v1", "kind": "Meadow"});
    let fields = object.as_object_mut().unwrap();
    fields.extend(body.as_object().unwrap().clone());
    let metadata = fields.entry("metadata").or_insert_with(|| json!({})).as_object_mut().unwrap();
    metadata.insert("name".into(), "m".into());
    metadata.insert("resourceVersion".into(), "7".into());
    metadata.insert(
        "managedFields".into(),
        json!([{"manager": "chimera", "operation": "Update", "fieldsV1": ours},
            {"manager": "kubectl-edit", "operation": "Update", "fieldsV1": theirs}]),
    );
    object
}

fn desired(body: Value) -> Object {
    let mut object = json!({"apiVersion": "farm.example.com/v1", "kind": "Meadow"});
    let fields = object.as_object_mut().unwrap();
    fields.extend(body.as_object().unwrap().clone());
    let metadata = fields.entry("metadata").or_insert_with(|| json!({})).as_object_mut().unwrap();
    metadata.insert("name".into(), "m".into());
    Object::from_value(object).unwrap()
}

#[track_caller]
fn update(live: &Value, desired: &Object) -> Update {
    match plan(live, desired, false) {
        Plan::Update(update) => {
            // What was written is not written again.
            assert_eq!(plan(&stored(&update.object, live), desired, false), Plan::Unchanged);
            update
        }
        other => panic!("{other:?}"),
    }
}

/// An object as the API server keeps it, with the managed fields that it had.
fn stored(object: &Value, live: &Value) -> Value {
    let mut object = object.clone();
    object["metadata"]["managedFields"] = live["metadata"]["managedFields"].clone();
    object
}

fn fields(update: &Update) -> Vec<&str> {
    update.changes.iter().map(|change| change.field.as_str()).collect()
}

#[test]
fn an_equal_object_is_not_written() {
    let body = json!({"spec": {"grass": "green", "sheep": [1, 2]}});
    assert_eq!(plan(&live(body.clone(), json!({}), json!({})), &desired(body), false), Plan::Unchanged);
}

#[test]
fn numbers_are_equal_by_value() {
    let live = live(json!({"spec": {"order": 1.0}}), json!({}), json!({}));
    assert_eq!(plan(&live, &desired(json!({"spec": {"order": 1}})), false), Plan::Unchanged);
}

#[test]
fn an_edited_field_is_restored_and_its_editor_named() {
    let live = live(json!({"spec": {"grass": "dry"}}), json!({}), json!({"f:spec": {"f:grass": {}}}));
    let update = update(&live, &desired(json!({"spec": {"grass": "green"}})));
    assert_eq!(update.object["spec"], json!({"grass": "green"}));
    assert_eq!(update.object["metadata"]["resourceVersion"], "7");
    let change = update.changes.first().unwrap();
    assert_eq!((change.field.as_str(), change.kind), ("spec.grass", ChangeKind::Set));
    assert_eq!(change.manager.as_deref(), Some("kubectl-edit"));
}

#[test]
fn fields_that_desired_dropped_go_only_if_they_were_ours_alone() {
    let body = json!({"spec": {"a": 1, "b": 1, "c": 1, "deep": {"x": 1, "y": 1}}});
    let ours = json!({"f:spec": {"f:a": {}, "f:b": {}, "f:deep": {".": {}, "f:x": {}}}});
    let theirs = json!({"f:spec": {"f:b": {}, "f:c": {}, "f:deep": {"f:y": {}}}});
    let update = update(&live(body.clone(), ours.clone(), theirs.clone()), &desired(json!({"spec": {}})));
    assert_eq!(update.object["spec"], json!({"b": 1, "c": 1, "deep": {"y": 1}}));
    assert!(update.changes.iter().all(|change| change.manager.is_none()), "{:?}", update.changes);
    // A shared object loses nothing.
    assert_eq!(plan(&live(body, ours, theirs), &desired(json!({"spec": {}})), true), Plan::Unchanged);
}

#[test]
fn an_object_without_managed_fields_loses_nothing() {
    let mut live = live(json!({"spec": {"a": 1}}), json!({}), json!({}));
    live["metadata"].as_object_mut().unwrap().remove("managedFields");
    assert_eq!(plan(&live, &desired(json!({"spec": {}})), false), Plan::Unchanged);
}

#[test]
fn foreign_labels_annotations_and_finalizers_stay() {
    let body = json!({"metadata": {"labels": {"theirs": "1", "old": "1"}, "annotations": {"theirs": "1"},
        "finalizers": ["farm.example.com/f", "tigera.io/old", "sub.tigera.io/kept", "nottigera.io/f"]}});
    let ours = json!({"f:metadata": {"f:labels": {".": {}, "f:old": {}}}});
    let theirs = json!({"f:metadata": {"f:labels": {"f:theirs": {}}, "f:annotations": {"f:theirs": {}}}});
    let want = json!({"metadata": {"labels": {"new": "1"}, "finalizers": ["tigera.io/new", "sub.tigera.io/kept"]}});
    let update = update(&live(body, ours, theirs), &desired(want));
    let metadata = &update.object["metadata"];
    assert_eq!(metadata["labels"], json!({"theirs": "1", "new": "1"}));
    assert_eq!(metadata["annotations"], json!({"theirs": "1"}));
    let finalizers = json!(["farm.example.com/f", "sub.tigera.io/kept", "nottigera.io/f", "tigera.io/new"]);
    assert_eq!(metadata["finalizers"], finalizers);
}

#[test]
fn status_is_never_touched() {
    let live = live(json!({"spec": {"a": 1}, "status": {"ready": true}}), json!({}), json!({}));
    let update = update(&live, &desired(json!({"spec": {"a": 2}, "status": {"ready": false}})));
    assert_eq!(update.object["status"], json!({"ready": true}));
}

#[test]
fn a_status_that_is_stated_for_a_shared_object_is_laid_over_the_live_one() {
    let live = live(json!({"spec": {"a": 1}, "status": {"ready": true}}), json!({}), json!({}));
    let desired = desired(json!({"status": {"type": "Sheep"}}));
    let Plan::Update(update) = plan(&live, &desired, true) else { panic!("nothing is written") };
    assert_eq!(update.object["status"], json!({"ready": true, "type": "Sheep"}));
    assert_eq!(plan(&update.object, &desired, true), Plan::Unchanged);
}

fn owner(kind: &str, group: &str, uid: &str, controller: bool) -> Value {
    let mut owner = json!({"apiVersion": format!("{group}/v1"), "kind": kind, "name": "default", "uid": uid});
    if controller {
        owner["controller"] = true.into();
    }
    owner
}

#[test]
fn owners_are_taken_over_or_merged() {
    let ours = owner("Installation", "operator.tigera.io", "new", true);
    let former = owner("APIServer", "operator.tigera.io", "u", false);
    let stale = owner("Installation", "operator.tigera.io", "old", true);
    let foreign = owner("Farm", "farm.example.com", "u", false);
    let rival = owner("Farm", "farm.example.com", "u", true);
    let table = [
        (vec![], false, vec![&ours]),
        (vec![&stale], false, vec![&ours]),
        (vec![&foreign], false, vec![&foreign, &ours]),
        (vec![&rival], false, vec![&ours]),
        (vec![&former], false, vec![&ours]),
        (vec![&former], true, vec![&former, &ours]),
    ];
    for (before, together, after) in table {
        let labels = if together { json!({"operator.tigera.io/multipleOwners": "true"}) } else { json!({"a": "b"}) };
        let live = live(json!({"metadata": {"ownerReferences": before, "labels": labels}}), json!({}), json!({}));
        let desired = desired(json!({"metadata": {"ownerReferences": [ours], "labels": labels}}));
        assert_eq!(update(&live, &desired).object["metadata"]["ownerReferences"], json!(after), "{before:?}");
    }
    let live = live(json!({"metadata": {"ownerReferences": [foreign]}}), json!({}), json!({}));
    assert_eq!(plan(&live, &desired(json!({})), false), Plan::Unchanged);
}

#[test]
fn lists_of_custom_resources_are_one_value() {
    let body = json!({"spec": {"pools": [{"name": "a", "size": 1}, {"name": "b"}]}});
    let live = live(body, json!({"f:spec": {"f:pools": {}}}), json!({}));
    let update = update(&live, &desired(json!({"spec": {"pools": [{"name": "b"}, {"name": "a"}]}})));
    assert_eq!(update.object["spec"]["pools"], json!([{"name": "b"}, {"name": "a"}]));
    assert_eq!(fields(&update), ["spec.pools"]);
}

#[test]
fn a_fingerprint_tells_desired_objects_apart() {
    let (a, b) = (desired(json!({"spec": {"a": 1}})), desired(json!({"spec": {"a": 2}})));
    assert_eq!(fingerprint(&a), fingerprint(&a.clone()));
    assert_ne!(fingerprint(&a), fingerprint(&b));
}

#[test]
fn null_takes_a_field_out_of_a_shared_object_and_nothing_else_does() {
    let body = json!({"metadata": {"annotations": {"a": "1", "b": "2"}}, "spec": {"grass": "green", "sheep": 1}});
    let live = live(body, json!({"f:spec": {}}), json!({}));
    let wanted = desired(json!({"metadata": {"annotations": {"a": null}}, "spec": {"sheep": null, "absent": null}}));
    let Plan::Update(update) = plan(&live, &wanted, true) else { panic!("nothing to write") };
    assert_eq!(update.object["spec"], json!({"grass": "green"}));
    assert_eq!(update.object["metadata"]["annotations"], json!({"b": "2"}));
    assert_eq!(plan(&stored(&update.object, &live), &wanted, true), Plan::Unchanged);
}
