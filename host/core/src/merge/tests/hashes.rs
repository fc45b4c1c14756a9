//! Hashes that the former operator left in pod templates.

use crate::merge::hashes::{adopt, hashed, in_doubt, stands_for};

use super::*;

const HASH: &str = "meadow.hash.operator.tigera.io/keys";

fn workload(hash: &str, image: &str) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "sheep", "namespace": "barn"},
        "spec": {
            "selector": {"matchLabels": {"a": "b"}},
            "template": {
                "metadata": {"annotations": {HASH: hash, "other": "x"}, "labels": {"a": "b"}},
                "spec": {"containers": [{"name": "sheep", "image": image}]},
            },
        },
    })
}

fn desired_workload(hash: &str, image: &str) -> Object {
    Object::from_value(workload(hash, image)).unwrap()
}

/// As `manager` has written it at a time.
fn live_workload(manager: &str, time: &str) -> Value {
    let mut live = desired_workload("theirs", "wool:1");
    crate::defaulting::default(&mut live);
    let mut live = live.into_value();
    let annotations = json!({format!("f:{HASH}"): {}});
    live["metadata"]["managedFields"] = json!([{"manager": manager, "operation": "Update", "time": time,
        "fieldsV1": {"f:spec": {"f:template": {"f:metadata": {"f:annotations": annotations}}}}}]);
    live
}

fn secret(writes: &[(&str, Value)]) -> Value {
    let entry =
        |(time, set): &(&str, Value)| json!({"manager": "m", "operation": "Update", "time": time, "fieldsV1": set});
    json!({"metadata": {"managedFields": writes.iter().map(entry).collect::<Vec<_>>()}})
}

#[test]
fn only_hashes_of_the_former_operator_that_would_be_the_only_change_are_in_doubt() {
    let live = live_workload("operator", "2030-01-01T00:00:00Z");
    let doubt = in_doubt(&live, &desired_workload("ours", "wool:1"), false);
    assert_eq!(doubt, [(HASH.to_owned(), "theirs".to_owned())].into());
    assert_eq!(plan(&live, &adopt(&desired_workload("ours", "wool:1"), &doubt), false), Plan::Unchanged);
    assert!(in_doubt(&live, &desired_workload("ours", "wool:2"), false).is_empty(), "pods restart anyway");
    assert!(in_doubt(&live, &desired_workload("theirs", "wool:1"), false).is_empty(), "nothing differs");
    let own = live_workload("chimera", "2030-01-01T00:00:00Z");
    assert!(in_doubt(&own, &desired_workload("ours", "wool:1"), false).is_empty(), "our own hash has changed");
}

#[test]
fn a_hash_stands_for_what_was_not_written_after_it() {
    let live = live_workload("operator", "2030-01-01T00:00:05Z");
    let data = || json!({"f:data": {}});
    for (writes, stands) in [
        (vec![("2030-01-01T00:00:05Z", data())], true),
        (vec![("2030-01-01T00:00:04Z", data()), ("2030-01-01T00:00:06Z", data())], false),
        (vec![("2030-01-01T00:00:04Z", data()), ("2031-01-01T00:00:00Z", json!({"f:metadata": {}}))], true),
        (vec![("no time", data())], false),
        (vec![], false),
    ] {
        assert_eq!(stands_for(&live, &secret(&writes)), stands, "{writes:?}");
    }
    let ours = live_workload("chimera", "2030-01-01T00:00:05Z");
    assert!(!stands_for(&ours, &secret(&[("2030-01-01T00:00:04Z", data())])));
}

#[test]
fn an_annotation_says_what_it_is_a_hash_of() {
    let key = ObjectKey::namespaced("apps/v1", "Deployment", "barn", "sheep");
    let names = |annotation| hashed(&key, annotation).iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(names(HASH), ["Secret meadow/keys", "ConfigMap meadow/keys"]);
    assert_eq!(names("hash.operator.tigera.io/cni-config"), ["Secret barn/cni-config", "ConfigMap barn/cni-config"]);
    assert!(names("hash.operator.tigera.io/system").contains(&"ConfigMap barn/tigera-ca-bundle".to_owned()));
}
