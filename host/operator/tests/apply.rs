//! Apply against a real API server: what is written, and what is not.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    unreachable_pub,
    reason = "a test fails by panicking, and nothing outside uses it"
)]

#[path = "apply/every_kind.rs"]
mod every_kind;
#[path = "apply/fixture.rs"]
mod fixture;
#[path = "apply/semantics.rs"]
mod semantics;

use chimera_core::object::ObjectKey;
use chimera_operator::apply::live::Known;
use chimera_operator::apply::{FailureKind, Options};
use fixture::{config_map, run};
use jiff::SignedDuration;
use serde_json::{Value, json};

#[test]
fn a_second_apply_and_a_restart_write_nothing_whatever_the_kind() {
    run("every-kind", async |mut cluster| {
        let objects = every_kind::objects(&cluster.namespace);
        let first = cluster.apply(objects.clone()).await;
        assert_eq!(first.failures, [], "{first:#?}");
        assert_eq!(first.created.len(), objects.len(), "{first:#?}");
        assert_eq!(cluster.writes().await, objects.len());

        let second = cluster.apply(objects.clone()).await;
        assert_eq!((second.writes, second.unchanged.len()), (0, objects.len()), "{second:#?}");
        cluster.restart();
        let third = cluster.apply(objects.clone()).await;
        assert_eq!((third.writes, third.unchanged.len()), (0, objects.len()), "{third:#?}");
        assert_eq!(cluster.writes().await, objects.len());
        // The operator knows every default, so it need not try what the API server fills in.
        assert_eq!(cluster.trials().await, Vec::<String>::new());

        cluster.until_served("farm.example.com/v1", "Meadow").await;
        let created = cluster.apply(vec![every_kind::custom()]).await;
        assert_eq!(created.created.len(), 1, "{created:#?}");
        cluster.restart();
        let again = cluster.apply(vec![every_kind::custom()]).await;
        assert_eq!((again.writes, again.unchanged.len()), (0, 1), "{again:#?}");
        // The default of a custom resource is not known, so it was tried, which writes nothing.
        assert_eq!(cluster.trials().await, ["meadows"]);
        assert_eq!(cluster.writes().await, objects.len() + 1);
    });
}

#[test]
fn a_version_that_was_compared_before_costs_no_request() {
    run("no-request", async |mut cluster| {
        let object = cluster.object(config_map("sheep", json!({"a": "1"})));
        cluster.apply(vec![object.clone()]).await;
        let key = cluster.key("v1", "ConfigMap", "sheep");
        let live = cluster.get(&key).await.unwrap();
        cluster.know(&key, &live);
        let before = cluster.requests().await;
        let outcome = cluster.apply(vec![object]).await;
        assert_eq!(outcome.unchanged.len(), 1);
        assert_eq!(cluster.requests().await, before);
    });
}

#[test]
fn what_is_known_to_be_absent_is_created_without_a_look_and_merged_if_it_is_there_after_all() {
    run("absent", async |mut cluster| {
        let key = cluster.key("v1", "ConfigMap", "sheep");
        cluster
            .put(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "sheep",
            "namespace": cluster.namespace, "labels": {"theirs": "1"}}, "data": {"b": "2"}}))
            .await;
        cluster.live.set(key.clone(), Known::Absent);
        let outcome = cluster.apply(vec![cluster.object(config_map("sheep", json!({"a": "1"})))]).await;
        assert_eq!(outcome.updated, std::slice::from_ref(&key), "{outcome:#?}");
        assert_eq!(outcome.restored, []);
        let live = cluster.get(&key).await.unwrap();
        assert_eq!(live["data"], json!({"a": "1", "b": "2"}));
        assert_eq!(live["metadata"]["labels"]["theirs"], "1");
    });
}

#[test]
fn an_edit_is_set_back_in_one_write_and_its_editor_named_while_foreign_labels_stay() {
    run("edit", async |mut cluster| {
        let object = cluster.object(config_map("sheep", json!({"a": "1", "b": "1"})));
        cluster.apply(vec![object.clone()]).await;
        let key = cluster.key("v1", "ConfigMap", "sheep");
        cluster
            .edit(&key, |live| {
                live["data"]["a"] = "edited".into();
                live["metadata"]["labels"]["theirs"] = "1".into();
                live["metadata"]["finalizers"] = json!(["farm.example.com/f"]);
            })
            .await;
        let before = cluster.writes().await;
        let outcome = cluster.apply(vec![object]).await;
        assert_eq!(cluster.writes().await, before + 1);
        let restored = outcome.restored.first().expect("one object");
        assert_eq!(
            (restored.fields.as_slice(), restored.manager.as_deref()),
            (&["data.a".to_owned()][..], Some("editor"))
        );
        let live = cluster.get(&key).await.unwrap();
        assert_eq!((&live["data"]["a"], &live["metadata"]["labels"]["theirs"]), (&json!("1"), &json!("1")));
        assert_eq!(live["metadata"]["finalizers"], json!(["farm.example.com/f"]));
        cluster.edit(&key, |live| live["metadata"]["finalizers"] = json!([])).await;
    });
}

#[test]
fn a_field_that_is_no_longer_wanted_goes() {
    run("removed", async |mut cluster| {
        cluster.apply(vec![cluster.object(config_map("sheep", json!({"a": "1", "b": "1"})))]).await;
        let outcome = cluster.apply(vec![cluster.object(config_map("sheep", json!({"a": "1"})))]).await;
        assert_eq!((outcome.updated.len(), outcome.restored.len()), (1, 0));
        let key = cluster.key("v1", "ConfigMap", "sheep");
        assert_eq!(cluster.get(&key).await.unwrap()["data"], json!({"a": "1"}));
    });
}

#[test]
fn an_object_with_the_ignore_annotation_is_left_alone_with_a_warning_until_it_is_taken_off() {
    run("ignored", async |mut cluster| {
        let object = cluster.object(config_map("sheep", json!({"a": "1"})));
        cluster.apply(vec![object.clone()]).await;
        let key = cluster.key("v1", "ConfigMap", "sheep");
        cluster
            .edit(&key, |live| {
                live["data"]["a"] = "mine".into();
                live["metadata"]["annotations"] = json!({"unsupported.operator.tigera.io/ignore": "true"});
            })
            .await;
        let outcome = cluster.apply(vec![object.clone()]).await;
        assert_eq!(outcome.ignored, std::slice::from_ref(&key));
        assert!(outcome.warnings.first().unwrap().to_string().contains("CHM0402"));
        let deletion = cluster.delete(vec![key.clone()]).await;
        assert_eq!(deletion.ignored, std::slice::from_ref(&key));
        cluster.edit(&key, |live| live["metadata"]["annotations"] = json!({})).await;
        let outcome = cluster.apply(vec![object]).await;
        assert_eq!((outcome.updated.len(), outcome.warnings.len()), (1, 0));
        assert_eq!(cluster.get(&key).await.unwrap()["data"]["a"], "1");
    });
}

#[test]
fn what_cannot_be_changed_in_place_is_created_again_its_finalizer_lifted_first() {
    run("recreate", async |mut cluster| {
        let binding = |role: &str| {
            json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
                "metadata": {"name": "sheep", "finalizers": ["tigera.io/cni-protector"]},
                "roleRef": {"kind": "ClusterRole", "name": role}})
        };
        cluster.apply(vec![cluster.object(binding("view"))]).await;
        let outcome = cluster.apply(vec![cluster.object(binding("edit"))]).await;
        assert_eq!(outcome.recreated.len(), 1, "{outcome:#?}");
        let key = cluster.key("rbac.authorization.k8s.io/v1", "RoleBinding", "sheep");
        let live = cluster.get(&key).await.unwrap();
        assert_eq!(live["roleRef"]["name"], "edit");
        assert_eq!(live["metadata"]["finalizers"], json!(["tigera.io/cni-protector"]));
    });
}

#[test]
fn what_a_user_made_is_neither_deleted_nor_created_again() {
    run("foreign", async |mut cluster| {
        let binding = |role: &str| {
            json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "sheep",
                "namespace": cluster.namespace}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                "name": role}})
        };
        let (theirs, ours) = (binding("view"), binding("edit"));
        cluster.put(theirs).await;
        let outcome = cluster.apply(vec![cluster.object(ours)]).await;
        assert_eq!(outcome.failures.first().unwrap().kind, FailureKind::Foreign);
        assert!(outcome.failures.first().unwrap().message.to_string().contains("roleRef"));
        let key = cluster.key("rbac.authorization.k8s.io/v1", "RoleBinding", "sheep");
        let outcome = cluster.delete(vec![key.clone()]).await;
        assert_eq!((outcome.deleted.len(), outcome.unchanged.len()), (0, 1));
        assert!(cluster.get(&key).await.is_some());
    });
}

#[test]
fn a_deletion_takes_what_is_ours_and_minds_nothing_that_is_not_there() {
    run("delete", async |mut cluster| {
        cluster.apply(vec![cluster.object(config_map("sheep", json!({})))]).await;
        let key = cluster.key("v1", "ConfigMap", "sheep");
        let no_kind = ObjectKey::namespaced("farm.example.com/v9", "Nothing", &cluster.namespace, "n");
        let outcome = cluster.delete(vec![key.clone(), no_kind]).await;
        assert_eq!((outcome.deleted.len(), outcome.unchanged.len()), (1, 1), "{outcome:#?}");
        assert!(cluster.get(&key).await.is_none());
        assert_eq!(cluster.delete(vec![key]).await.writes, 0);
    });
}

#[test]
fn a_service_keeps_its_address_and_node_ports() {
    run("keeps", async |mut cluster| {
        let service = |port: u16| {
            json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "sheep"},
                "spec": {"type": "NodePort", "selector": {"a": "b"}, "ports": [{"port": port, "name": "p"}, {"port": 9, "name": "q"}]}})
        };
        cluster.apply(vec![cluster.object(service(80))]).await;
        let key = cluster.key("v1", "Service", "sheep");
        let before = cluster.get(&key).await.unwrap();
        let outcome = cluster.apply(vec![cluster.object(service(81))]).await;
        assert_eq!((outcome.updated.len(), outcome.writes), (1, 1), "{outcome:#?}");
        let after = cluster.get(&key).await.unwrap();
        assert_eq!(before["spec"]["clusterIP"], after["spec"]["clusterIP"]);
        assert_eq!(before["spec"]["ports"][1]["nodePort"], after["spec"]["ports"][1]["nodePort"]);
    });
}

#[test]
fn an_object_that_somebody_deletes_is_brought_back_despite_its_finalizer() {
    run("back", async |mut cluster| {
        let mut account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "sheep"}});
        account["metadata"]["finalizers"] = json!(["tigera.io/cni-protector"]);
        let object = cluster.object(account);
        cluster.apply(vec![object.clone()]).await;
        let key = cluster.key("v1", "ServiceAccount", "sheep");
        cluster.remove(&key).await;
        let leaving = Options { owner_is_leaving: true };
        let outcome = cluster.apply_with(vec![object.clone()], leaving).await;
        assert_eq!(outcome.failures.first().unwrap().kind, FailureKind::Leaving);
        let outcome = cluster.apply(vec![object]).await;
        assert_eq!(outcome.recreated.len(), 1, "{outcome:#?}");
        assert!(cluster.get(&key).await.unwrap()["metadata"].get("deletionTimestamp").is_none());
    });
}

#[test]
fn one_denied_object_blocks_no_other_and_says_who_denied_it() {
    run("denied", async |mut cluster| {
        cluster
            .policy(
                "ValidatingAdmissionPolicy",
                json!({"validations": [{"expression": "false", "message": "no sheep"}]}),
            )
            .await;
        let object = cluster.object(config_map("probe", json!({})));
        cluster.until_policy(object, |answer| answer.is_err()).await;
        let objects = vec![
            cluster.object(config_map("sheep", json!({}))),
            cluster.object(json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "sheep"}})),
        ];
        let outcome = cluster.apply(objects).await;
        assert_eq!(outcome.created.len(), 1);
        let failure = outcome.failures.first().unwrap();
        assert_eq!(failure.kind, FailureKind::Denied);
        let message = failure.message.to_string();
        assert!(message.starts_with(&format!("ConfigMap {}/sheep: ", cluster.namespace)), "{message}");
        assert!(message.contains("no sheep"), "{message}");
    });
}

#[test]
fn an_object_that_admission_rewrites_is_written_three_times_at_most_and_then_warned_about() {
    run("rewritten", async |mut cluster| {
        let patch = json!({"reinvocationPolicy": "Never", "mutations": [{"patchType": "JSONPatch", "jsonPatch": {
            "expression": "[JSONPatch{op: 'replace', path: '/data/a', value: 'theirs'}]"}}]});
        cluster.policy("MutatingAdmissionPolicy", patch).await;
        let object = cluster.object(config_map("probe", json!({"a": "1"})));
        cluster
            .until_policy(object, |answer| answer.as_ref().is_ok_and(|object| object["data"]["a"] == "theirs"))
            .await;

        let object = cluster.object(config_map("sheep", json!({"a": "ours"})));
        let before = cluster.writes().await;
        let outcome = cluster.apply(vec![object.clone()]).await;
        assert_eq!(outcome.contested.len(), 1, "{outcome:#?}");
        let warning = outcome.warnings.first().unwrap().to_string();
        assert!(warning.contains("data.a") && warning.contains("CHM0403"), "{warning}");
        let written = cluster.writes().await;
        assert!(written - before <= 3, "{written}");
        for _ in 0..5 {
            assert_eq!(cluster.apply(vec![object.clone()]).await.warnings.len(), 1);
        }
        assert_eq!(cluster.writes().await, written);
    });
}

#[test]
fn a_controller_that_fights_back_is_given_way_to_after_three_rounds() {
    run("fight", async |mut cluster| {
        let object = cluster.object(config_map("sheep", json!({"a": "ours"})));
        cluster.apply(vec![object.clone()]).await;
        let key = cluster.key("v1", "ConfigMap", "sheep");
        let before = cluster.writes().await;
        let mut last = None;
        for round in 0..6 {
            cluster.edit(&key, |live| live["data"]["a"] = format!("theirs {round}").into()).await;
            last = Some(cluster.apply(vec![object.clone()]).await);
        }
        assert_eq!(cluster.writes().await - before, 3);
        let last = last.unwrap();
        assert_eq!(last.contested, [key], "{last:#?}");
        // It may have gone since, so that once in a while its last word is tried.
        cluster.later(SignedDuration::from_mins(59));
        assert_eq!(cluster.apply(vec![object.clone()]).await.contested.len(), 1);
        cluster.later(SignedDuration::from_mins(2));
        assert_eq!(cluster.apply(vec![object.clone()]).await.updated.len(), 1);
        assert!(cluster.apply(vec![object.clone()]).await.warnings.is_empty());
        // Another wish is tried again.
        let outcome = cluster.apply(vec![cluster.object(config_map("sheep", json!({"a": "other"})))]).await;
        assert_eq!(outcome.updated.len(), 1);
    });
}

#[test]
fn a_missing_kind_and_a_missing_namespace_are_told_apart() {
    run("missing", async |mut cluster| {
        let nowhere: Value =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "nowhere"}});
        let nothing: Value = json!({"apiVersion": "farm.example.com/v9", "kind": "Nothing", "metadata": {"name": "a"}});
        let outcome = cluster.apply(vec![cluster.object(nowhere), cluster.object(nothing)]).await;
        let kinds: Vec<_> = outcome.failures.iter().map(|failure| failure.kind).collect();
        assert_eq!(kinds, [FailureKind::NamespaceMissing, FailureKind::KindMissing], "{outcome:#?}");
    });
}

#[test]
fn a_missing_permission_is_named_by_verb_and_resource() {
    run("forbidden", async |mut cluster| {
        cluster.act_as("nobody", &[]).await;
        let outcome = cluster.apply(vec![cluster.object(config_map("sheep", json!({})))]).await;
        let message = outcome.failures.first().unwrap().message.to_string();
        assert!(message.contains("may not get configmaps"), "{message}");
    });
}
