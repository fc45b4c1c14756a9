//! How objects are merged and created again: one row a case, on a real API server.
//!
//! Each row is applied, edited by somebody else, and applied again with another wish. What the operator must keep then,
//! and what it must set, is said by JSON pointers into the live object. Rules of the uniform policies are in the tests
//! of `chimera-core::policies`, those that need no server in `chimera-core::merge`.

use chimera_core::object::{Object, ObjectKey};
use chimera_operator::apply::{ApplyOutcome, FailureKind};
use serde_json::{Value, json};

use super::fixture::{Fixture, config_map, run};

/// What somebody else does in between.
enum Meanwhile {
    Nothing,
    Edit(fn(&mut Value)),
    Scale(u32),
}

/// What a field is in the end.
enum Then {
    Is(Value),
    /// As it was before the second wish.
    Stays,
    /// Another value than before.
    Changes,
    Gone,
}

struct Row {
    rule: &'static str,
    first: Value,
    meanwhile: Meanwhile,
    second: Value,
    /// `unchanged`, `updated` or `recreated`.
    action: &'static str,
    live: Vec<(&'static str, Then)>,
}

use Meanwhile::{Edit, Nothing, Scale};
use Then::{Changes, Gone, Is, Stays};

fn object(api_version: &str, kind: &str, body: Value) -> Value {
    let mut object = json!({"apiVersion": api_version, "kind": kind});
    object.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
    let metadata = object.as_object_mut().unwrap().entry("metadata").or_insert_with(|| json!({}));
    metadata["name"] = "sheep".into();
    object
}

fn service(spec: Value) -> Value {
    object("v1", "Service", json!({"spec": spec}))
}

fn deployment(spec: Value) -> Value {
    let mut spec = spec;
    spec["template"] = json!({"spec": {"containers": [{"name": "graze", "image": "grass"}]}});
    object("apps/v1", "Deployment", json!({"spec": spec}))
}

fn job(image: &str, annotations: Value, spec: Value) -> Value {
    let mut spec = spec;
    spec["suspend"] = true.into();
    spec["template"] = json!({"metadata": {"annotations": annotations},
        "spec": {"restartPolicy": "Never", "containers": [{"name": "graze", "image": image}]}});
    object("batch/v1", "Job", json!({"spec": spec}))
}

fn binding(kind: &str, role: &str) -> Value {
    let mut binding = object("rbac.authorization.k8s.io/v1", kind, json!({}));
    binding["roleRef"] = json!({"kind": "ClusterRole", "name": role});
    binding
}

/// Somebody else's label and annotation.
fn mark(live: &mut Value) {
    live["metadata"]["labels"]["theirs"] = "1".into();
    live["metadata"]["annotations"]["theirs"] = "1".into();
}

/// Created again: another object, which starts anew but for what others had laid on it.
fn anew(more: Vec<(&'static str, Then)>) -> Vec<(&'static str, Then)> {
    let mut all = vec![
        ("/metadata/uid", Changes),
        ("/metadata/labels/theirs", Is(json!("1"))),
        ("/metadata/annotations/theirs", Is(json!("1"))),
        ("/metadata/ownerReferences", Stays),
        ("/metadata/deletionTimestamp", Gone),
    ];
    all.extend(more);
    all
}

fn merged() -> Vec<Row> {
    vec![
        Row {
            rule: "foreign labels, annotations and finalizers stay; of tigera.io only those that are wanted",
            first: object(
                "v1",
                "ConfigMap",
                json!({"metadata": {"labels": {"old": "1"},
                "finalizers": ["tigera.io/kept", "tigera.io/dropped"]}, "data": {"a": "1"}}),
            ),
            meanwhile: Edit(|live| {
                mark(live);
                live["metadata"]["finalizers"].as_array_mut().unwrap().push("farm.example.com/f".into());
            }),
            second: object(
                "v1",
                "ConfigMap",
                json!({"metadata": {"labels": {"new": "1"},
                "finalizers": ["tigera.io/kept", "tigera.io/added"]}, "data": {"a": "1"}}),
            ),
            action: "updated",
            live: vec![
                ("/metadata/uid", Stays),
                ("/metadata/labels/theirs", Is(json!("1"))),
                ("/metadata/annotations/theirs", Is(json!("1"))),
                ("/metadata/labels/old", Gone),
                ("/metadata/labels/new", Is(json!("1"))),
                ("/metadata/finalizers", Is(json!(["tigera.io/kept", "farm.example.com/f", "tigera.io/added"]))),
            ],
        },
        Row {
            rule: "a Service keeps its addresses and node ports",
            first: service(json!({"type": "NodePort", "selector": {"a": "b"}, "ports": [{"port": 80, "name": "p"}]})),
            meanwhile: Edit(mark),
            second: service(json!({"type": "NodePort", "selector": {"a": "c"}, "ports": [{"port": 80, "name": "p"}]})),
            action: "updated",
            live: vec![
                ("/metadata/uid", Stays),
                ("/metadata/labels/theirs", Is(json!("1"))),
                ("/spec/clusterIP", Stays),
                ("/spec/clusterIPs", Stays),
                ("/spec/ports/0/nodePort", Stays),
                ("/spec/selector", Is(json!({"a": "c"}))),
            ],
        },
        Row {
            rule: "a Deployment keeps the replicas that an autoscaler set",
            first: deployment(json!({"replicas": 0})),
            meanwhile: Scale(3),
            second: deployment(json!({"replicas": 0, "paused": true})),
            action: "updated",
            live: vec![("/spec/replicas", Is(json!(3))), ("/spec/paused", Is(json!(true)))],
        },
        Row {
            rule: "replicas that a person set are set back",
            first: deployment(json!({"replicas": 0})),
            meanwhile: Edit(|live| live["spec"]["replicas"] = 2.into()),
            second: deployment(json!({"replicas": 0})),
            action: "updated",
            live: vec![("/spec/replicas", Is(json!(0)))],
        },
        Row {
            rule: "what is filled into a ServiceAccount stays and costs no write",
            first: object("v1", "ServiceAccount", json!({"imagePullSecrets": [{"name": "ours"}]})),
            meanwhile: Edit(|live| {
                live["secrets"] = json!([{"name": "token"}]);
                live["imagePullSecrets"] = json!([{"name": "theirs"}, {"name": "ours"}]);
            }),
            second: object("v1", "ServiceAccount", json!({"imagePullSecrets": [{"name": "ours"}]})),
            action: "unchanged",
            live: vec![("/secrets", Stays), ("/imagePullSecrets", Stays)],
        },
        Row {
            rule: "a pull secret is added to a ServiceAccount's",
            first: object("v1", "ServiceAccount", json!({})),
            meanwhile: Edit(|live| live["imagePullSecrets"] = json!([{"name": "theirs"}])),
            second: object("v1", "ServiceAccount", json!({"imagePullSecrets": [{"name": "ours"}]})),
            action: "updated",
            live: vec![("/imagePullSecrets", Is(json!([{"name": "theirs"}, {"name": "ours"}])))],
        },
        Row {
            rule: "a Job's parallelism changes in place",
            first: job("a:1", json!({}), json!({"parallelism": 1})),
            meanwhile: Nothing,
            second: job("a:1", json!({}), json!({"parallelism": 2})),
            action: "updated",
            live: vec![("/metadata/uid", Stays), ("/spec/parallelism", Is(json!(2)))],
        },
    ]
}

fn created_again() -> Vec<Row> {
    let changed = |rule, first, second, live| Row {
        rule,
        first,
        meanwhile: Edit(mark),
        second,
        action: "recreated",
        live: anew(live),
    };
    let ports = json!([{"port": 80}]);
    vec![
        changed(
            "a Job of another image",
            job("a:1", json!({"v": "1"}), json!({})),
            job("a:2", json!({"v": "1"}), json!({})),
            vec![
                ("/spec/template/spec/containers/0/image", Is(json!("a:2"))),
                ("/spec/template/metadata/labels/batch.kubernetes.io~1controller-uid", Changes),
                ("/spec/selector/matchLabels/batch.kubernetes.io~1controller-uid", Changes),
            ],
        ),
        changed(
            "a Job of other annotations",
            job("a:1", json!({"v": "1"}), json!({})),
            job("a:1", json!({"v": "2"}), json!({})),
            vec![("/spec/template/metadata/annotations/v", Is(json!("2")))],
        ),
        changed(
            "a Secret of another type",
            object("v1", "Secret", json!({"type": "a.example.com/x", "data": {"k": "YQ=="}})),
            object("v1", "Secret", json!({"data": {"k": "YQ=="}})),
            vec![("/type", Is(json!("Opaque")))],
        ),
        changed(
            "a Service that drops its cluster IP",
            service(json!({"ports": ports})),
            service(json!({"clusterIP": "None", "ports": ports})),
            vec![("/spec/clusterIP", Is(json!("None")))],
        ),
        changed(
            "a Service that gets a cluster IP",
            service(json!({"clusterIP": "None", "ports": ports})),
            service(json!({"ports": ports})),
            vec![("/spec/clusterIP", Changes)],
        ),
        changed(
            "a RoleBinding of another role",
            binding("RoleBinding", "view"),
            binding("RoleBinding", "edit"),
            vec![("/roleRef/name", Is(json!("edit")))],
        ),
        changed(
            "a ClusterRoleBinding of another role",
            binding("ClusterRoleBinding", "view"),
            binding("ClusterRoleBinding", "edit"),
            vec![("/roleRef/name", Is(json!("edit")))],
        ),
        changed(
            "a Deployment of another selector",
            deployment(json!({"replicas": 0})),
            {
                let mut other = deployment(json!({"replicas": 0, "selector": {"matchLabels": {"k8s-app": "goat"}}}));
                other["spec"]["template"]["metadata"]["labels"]["k8s-app"] = "goat".into();
                other
            },
            vec![("/spec/selector/matchLabels/k8s-app", Is(json!("goat")))],
        ),
    ]
}

/// The one thing that was done.
fn action(outcome: &ApplyOutcome) -> &'static str {
    let lists = [
        ("created", &outcome.created),
        ("updated", &outcome.updated),
        ("recreated", &outcome.recreated),
        ("deleted", &outcome.deleted),
        ("unchanged", &outcome.unchanged),
    ];
    let mut done = lists.iter().filter(|(_, keys)| !keys.is_empty()).map(|(name, _)| *name);
    done.next().filter(|_| outcome.failures.is_empty()).unwrap_or("failed")
}

/// Kubernetes' own controllers write to what was just made, and may come between more than once; they are done soon.
async fn undisturbed(cluster: &mut Fixture, object: &Object) -> ApplyOutcome {
    loop {
        let outcome = cluster.apply(vec![object.clone()]).await;
        if outcome.failures.iter().all(|failure| failure.kind != FailureKind::Conflict) {
            return outcome;
        }
    }
}

async fn check(cluster: &mut Fixture, row: Row) {
    let Row { rule, mut first, meanwhile, mut second, action: wanted, live } = row;
    // Each row has an object of its own.
    let name = rule.to_lowercase().replace(|c: char| !c.is_ascii_lowercase(), "-");
    let name = name.get(..name.len().min(60)).unwrap().trim_end_matches('-').to_owned();
    for object in [&mut first, &mut second] {
        object["metadata"]["name"] = name.clone().into();
    }
    let object = cluster.object(first);
    let key = object.key().clone();
    let created = cluster.apply(vec![object]).await;
    assert_eq!(action(&created), "created", "{rule}: {created:#?}");
    match meanwhile {
        Nothing => {}
        Edit(change) => cluster.edit(&key, change).await,
        Scale(replicas) => cluster.scale(&key, replicas).await,
    }
    let before = cluster.get(&key).await.unwrap();
    let object = cluster.object(second);
    let outcome = undisturbed(cluster, &object).await;
    assert_eq!(action(&outcome), wanted, "{rule}: {outcome:#?}");
    let after = cluster.get(&key).await.unwrap();
    for (pointer, then) in live {
        let (was, is) = (before.pointer(pointer), after.pointer(pointer));
        let good = match &then {
            Is(value) => is == Some(value),
            Stays => is.is_some() && is == was,
            Changes => is.is_some() && is != was,
            Gone => is.is_none(),
        };
        assert!(good, "{rule}: {pointer} was {was:?} and is {is:?} in {after}");
    }
    let again = undisturbed(cluster, &object).await;
    assert_eq!((action(&again), again.writes), ("unchanged", 0), "{rule}: {again:#?}");
    cluster.edit(&key, |live| live["metadata"]["finalizers"] = json!([])).await;
}

#[test]
fn each_kind_is_merged_as_it_must_be() {
    run("merged", async |mut cluster| {
        for row in merged() {
            check(&mut cluster, row).await;
        }
    });
}

#[test]
fn each_kind_that_cannot_be_changed_in_place_is_created_again() {
    run("anew", async |mut cluster| {
        for row in created_again() {
            check(&mut cluster, row).await;
        }
    });
}

#[test]
fn a_conflict_is_tried_once_more_and_no_more() {
    run("conflict", async |mut cluster| {
        for (times, done, annotation) in [(1, "updated", "x"), (2, "failed", "xx")] {
            let name = format!("sheep-{times}");
            let key = cluster.key("v1", "ConfigMap", &name);
            cluster.restart();
            cluster.apply(vec![cluster.object(config_map(&name, json!({"a": "1"})))]).await;
            let before = cluster.writes().await;
            cluster.interfere(&key, times);
            let outcome = cluster.apply(vec![cluster.object(config_map(&name, json!({"a": "2"})))]).await;
            assert_eq!(action(&outcome), done, "{outcome:#?}");
            assert_eq!(cluster.writes().await - before, 2, "{times} conflicts");
            // What the other one wrote in between is still there.
            let live = cluster.get(&key).await.unwrap();
            assert_eq!(live["metadata"]["annotations"]["touched"], annotation);
            if let Some(failure) = outcome.failures.first() {
                assert_eq!(failure.kind, FailureKind::Conflict);
                assert!(failure.is_transient(), "the next reconcile goes on");
            }
        }
    });
}

#[test]
fn network_policies_go_where_the_administrator_looks_after_them_but_not_a_users() {
    run("policies", async |mut cluster| {
        let policy = |name: &str| {
            json!({"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": name},
                "spec": {"podSelector": {"matchLabels": {"a": "b"}}}})
        };
        let mut theirs = policy("theirs");
        theirs["metadata"]["namespace"] = cluster.namespace.clone().into();
        cluster.put(theirs).await;
        let key =
            |cluster: &Fixture, name: &str| -> ObjectKey { cluster.key("networking.k8s.io/v1", "NetworkPolicy", name) };
        let objects = vec![cluster.object(policy("ours"))];
        assert_eq!(cluster.apply(objects.clone()).await.created.len(), 1);

        cluster.policies.leaves_network_policies = true;
        let both = vec![cluster.object(policy("ours")), cluster.object(policy("theirs"))];
        let outcome = cluster.apply(both.clone()).await;
        assert_eq!((outcome.deleted.as_slice(), outcome.created.len()), (&[key(&cluster, "ours")][..], 0));
        assert!(cluster.get(&key(&cluster, "ours")).await.is_none());
        assert!(cluster.get(&key(&cluster, "theirs")).await.is_some());
        assert_eq!(cluster.apply(both).await.writes, 0);

        cluster.policies.leaves_network_policies = false;
        assert_eq!(cluster.apply(objects).await.created.len(), 1);
    });
}

#[test]
fn several_owners_own_an_object_together_and_one_takes_it_over() {
    run("owners", async |mut cluster| {
        let first = cluster.policies.owner.clone();
        let other = cluster.make_namespace("owners-other").await;
        let key = cluster.key("v1", "ConfigMap", "sheep");
        for (label, owners) in [(json!({"operator.tigera.io/multipleOwners": "true"}), 2), (json!({}), 1)] {
            let mut object = config_map("sheep", json!({}));
            object["metadata"]["labels"] = label;
            let object = cluster.object(object);
            for owner in [&first, &other] {
                cluster.policies.owner = owner.clone();
                assert_eq!(cluster.apply(vec![object.clone()]).await.failures, []);
            }
            let live = cluster.get(&key).await.unwrap();
            let references = live["metadata"]["ownerReferences"].as_array().unwrap();
            let controllers = references.iter().filter(|reference| reference["controller"] == true).count();
            assert_eq!((references.len(), controllers), (owners, usize::from(owners == 1)), "{references:?}");
            cluster.remove(&key).await;
        }
    });
}

#[test]
fn what_was_compared_before_is_known_by_uid_version_and_wish() {
    run("dedup", async |mut cluster| {
        let key = cluster.key("v1", "ConfigMap", "sheep");
        let object = cluster.object(config_map("sheep", json!({"a": "1"})));
        cluster.apply(vec![object.clone()]).await;
        let live = cluster.get(&key).await.unwrap();
        let (mut newer, mut another) = (live.clone(), live.clone());
        newer["metadata"]["resourceVersion"] = "99999999".into();
        another["metadata"]["uid"] = "another".into();
        let wish = cluster.object(config_map("sheep", json!({"a": "2"})));
        // What the watch says, what is wanted, and whether the object is read again.
        for (seen, wanted, read) in
            [(&live, &object, false), (&newer, &object, true), (&another, &object, true), (&live, &wish, true)]
        {
            cluster.know(&key, seen);
            let before = cluster.requests().await;
            cluster.apply(vec![wanted.clone()]).await;
            assert_eq!(cluster.requests().await > before, read, "{}", seen["metadata"]);
        }
    });
}
