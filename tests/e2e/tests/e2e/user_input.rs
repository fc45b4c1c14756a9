//! The user's input is the user's: what others made, set or added is left, and what the operator owns it puts back once.

use chimera_e2e::cluster::{self, DEADLINE, condition, get, wait_available, wait_condition};
use chimera_e2e::operator::Operator;
use chimera_e2e::{FIELD_MANAGER, OPERATOR_USER};
use chimera_kit::{AuditEvent, ControlPlane};
use k8s_openapi::api::core::v1::Event;
use kube::Api;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams};
use serde_json::{Value, json};

/// Who edits besides the operator.
const TOOL: &str = "example-tool";
const V1: &str = "operator.tigera.io/v1";

/// There before the operator is.
const USERS: &str = r#"
{apiVersion: v1, kind: Namespace, metadata: {name: calico-system, labels: {example.com/team: meadow}, annotations: {example.com/cost: "7"}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: wool, namespace: tigera-operator, labels: {example.com/team: meadow}},
 type: kubernetes.io/dockerconfigjson, stringData: {.dockerconfigjson: '{"auths":{}}'}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: kubernetes-services-endpoint, namespace: tigera-operator},
 data: {KUBERNETES_SERVICE_HOST: api.example.com, KUBERNETES_SERVICE_PORT: "6443"}}
"#;

const NODE: (&str, &str, &str, &str) = ("apps/v1", "DaemonSet", "calico-system", "calico-node");
const ACCOUNT: (&str, &str, &str, &str) = ("v1", "ServiceAccount", "calico-system", "calico-node");
const PULL_SECRET: (&str, &str, &str, &str) = ("v1", "Secret", "tigera-operator", "wool");
const COPY: (&str, &str, &str, &str) = ("v1", "Secret", "calico-system", "wool");
const ENDPOINT: (&str, &str, &str, &str) = ("v1", "ConfigMap", "tigera-operator", "kubernetes-services-endpoint");

async fn object(cluster: &ControlPlane, of: (&str, &str, &str, &str)) -> Value {
    let namespace = Some(of.2).filter(|namespace| !namespace.is_empty());
    let found = get(&cluster.client(), of.0, of.1, namespace, of.3).await.unwrap();
    found.unwrap_or_else(|| panic!("{} {} is gone", of.1, of.3))
}

/// Edits an object as somebody else.
async fn edit(cluster: &ControlPlane, of: (&str, &str, &str, &str), change: Value) {
    let (group, version) = of.0.split_once('/').unwrap_or(("", of.0));
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, of.1));
    let api: Api<DynamicObject> = match of.2 {
        "" => Api::all_with(cluster.client(), &resource),
        namespace => Api::namespaced_with(cluster.client(), namespace, &resource),
    };
    let params = PatchParams { field_manager: Some(TOOL.into()), ..PatchParams::default() };
    api.patch(of.3, &params, &Patch::Merge(change)).await.unwrap();
}

async fn installation(cluster: &ControlPlane, name: &str, spec: &str) -> Value {
    let yaml = format!("{{apiVersion: {V1}, kind: Installation, metadata: {{name: {name}}}, spec: {spec}}}");
    cluster.apply_yaml(&yaml).await.unwrap().remove(0)
}

/// What the operator wrote since then, but for Events and what it tells in a status.
async fn writes(cluster: &ControlPlane, since: usize) -> Vec<AuditEvent> {
    let all = cluster.audit().await.unwrap().writes_by(OPERATOR_USER).into_iter().skip(since);
    all.filter(|event| event.resource != "events" && event.subresource != "status").collect()
}

async fn count(cluster: &ControlPlane) -> usize {
    chimera_e2e::writes::count(cluster).await.unwrap()
}

async fn events(cluster: &ControlPlane, reason: &str) -> Vec<String> {
    let api: Api<Event> = Api::all(cluster.client());
    let all = api.list(&ListParams::default()).await.unwrap().items;
    let told = all.into_iter().filter(|event| event.reason.as_deref() == Some(reason));
    told.filter_map(|event| event.message).collect()
}

async fn wait_degraded(cluster: &ControlPlane, parts: &[&str]) -> String {
    let check = || async {
        let found = condition(&cluster.client(), "calico", "Degraded").await?;
        Ok(found.filter(|(status, _, message)| status == "True" && parts.iter().all(|part| message.contains(part))))
    };
    let found = cluster.wait_for(&format!("calico to be Degraded with {parts:?}"), DEADLINE, check).await.unwrap();
    found.2
}

/// Sets an owned field that restarts nothing, and waits until it is put back; everything before has been looked at then.
async fn wait_restored(cluster: &ControlPlane) {
    let before = object(cluster, NODE).await["spec"]["updateStrategy"].clone();
    edit(cluster, NODE, json!({"spec": {"updateStrategy": {"rollingUpdate": {"maxUnavailable": 9}}}})).await;
    let restored = || async { Ok((object(cluster, NODE).await["spec"]["updateStrategy"] == before).then_some(())) };
    cluster.wait_for("the update strategy to be put back", DEADLINE, restored).await.unwrap();
}

/// Clusters that an older operator served have Installations that today's schema refuses.
async fn accept_any_name(cluster: &ControlPlane) {
    let definition = ("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "installations.operator.tigera.io");
    let mut versions = object(cluster, definition).await["spec"]["versions"].take();
    versions[0]["schema"]["openAPIV3Schema"].as_object_mut().unwrap().remove("x-kubernetes-validations").unwrap();
    edit(cluster, definition, json!({"spec": {"versions": versions}})).await;
    let other =
        format!("{{apiVersion: {V1}, kind: Installation, metadata: {{name: other}}, spec: {{variant: Calico}}}}");
    let accepted = || async { Ok(cluster.apply_yaml(&other).await.ok().map(drop)) };
    cluster.wait_for("another name to be accepted", DEADLINE, accepted).await.unwrap();
}

#[tokio::test]
async fn what_is_not_the_operators_is_left_and_what_is_comes_back_in_one_write_that_names_who_changed_it() {
    let cluster = cluster::with_crds(1).await.unwrap();
    cluster.apply_yaml(USERS).await.unwrap();
    let (secret, endpoint) = (object(&cluster, PULL_SECRET).await, object(&cluster, ENDPOINT).await);
    accept_any_name(&cluster).await;
    let other = object(&cluster, (V1, "Installation", "", "other")).await["spec"].take();
    let operator = Operator::start(&cluster, &[]).unwrap();

    // What cannot be supported is named, and stays.
    wait_degraded(&cluster, &["Installation other metadata.name", "`default`", "CHM0103"]).await;
    installation(&cluster, "default", "{variant: Nonesuch}").await;
    wait_degraded(&cluster, &["Installation default spec.variant", "Nonesuch", "CHM0104"]).await;

    let spec =
        "{imagePullSecrets: [{name: wool}], nodeMetricsPort: 9081, calicoNodeDaemonSet: {spec: {minReadySeconds: 1}}}";
    let stated = installation(&cluster, "default", spec).await["spec"].clone();
    wait_available(&cluster).await.unwrap();
    let (_, message) = wait_condition(&cluster, "calico", "Available").await.unwrap();
    assert!(message.contains("Warning: Installation other metadata.name: "), "{message}");
    assert_eq!(object(&cluster, (V1, "Installation", "", "other")).await["spec"], other);
    assert_eq!(object(&cluster, (V1, "Installation", "", "default")).await["spec"], stated, "the spec is the user's");
    assert_eq!(object(&cluster, NODE).await["spec"]["minReadySeconds"], 1, "what the user set holds");

    let namespace = object(&cluster, ("v1", "Namespace", "", "calico-system")).await["metadata"].take();
    assert_eq!(namespace["labels"]["example.com/team"], "meadow");
    assert!(namespace["ownerReferences"].is_null(), "it would go with the Installation, and all that is in it");
    assert_eq!(namespace["annotations"]["example.com/cost"], "7");
    assert_eq!(namespace["labels"]["pod-security.kubernetes.io/enforce"], "privileged", "the operator's own are there");

    foreign_fields_stay(&cluster).await;
    an_owned_field_comes_back(&cluster).await;
    foreign_metadata_outlives_an_update(&cluster, spec).await;
    originals_are_copied(&cluster, &secret, &endpoint).await;

    let written = cluster.audit().await.unwrap().writes_by(OPERATOR_USER);
    let deleted = written.filter(|event| event.verb.starts_with("delete") && event.resource == "installations");
    assert!(deleted.is_empty(), "{deleted:#?}");
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

/// What Kubernetes and others fill into a ServiceAccount is no reason to write.
async fn foreign_fields_stay(cluster: &ControlPlane) {
    let before = count(cluster).await;
    let filled = json!({"secrets": [{"name": "token"}], "imagePullSecrets": [{"name": "wool"}, {"name": "hay"}],
        "automountServiceAccountToken": false, "metadata": {"annotations": {"eks.amazonaws.com/role-arn": "arn"}}});
    edit(cluster, ACCOUNT, filled.clone()).await;
    wait_restored(cluster).await;
    let account = object(cluster, ACCOUNT).await;
    for field in ["secrets", "imagePullSecrets", "automountServiceAccountToken"] {
        assert_eq!(account[field], filled[field], "{field}");
    }
    assert_eq!(account["metadata"]["annotations"], filled["metadata"]["annotations"]);
    let written = writes(cluster, before).await;
    assert!(written.iter().all(|event| event.resource != "serviceaccounts"), "{written:#?}");
}

async fn an_owned_field_comes_back(cluster: &ControlPlane) {
    chimera_e2e::writes::quiet(cluster, "the cluster to be at rest", std::time::Duration::from_secs(2)).await.unwrap();
    let (before, told) = (count(cluster).await, events(cluster, "FieldRestored").await.len());
    wait_restored(cluster).await;
    let check = || async { Ok(Some(events(cluster, "FieldRestored").await).filter(|events| events.len() > told)) };
    let told_of = cluster.wait_for("an Event", DEADLINE, check).await.unwrap();
    chimera_e2e::writes::quiet(cluster, "the cluster to be at rest", std::time::Duration::from_secs(2)).await.unwrap();
    assert_eq!(events(cluster, "FieldRestored").await.len(), told + 1, "one Event: {told_of:#?}");
    let start =
        "DaemonSet calico-system/calico-node spec.updateStrategy.rollingUpdate.maxUnavailable: example-tool changed it";
    assert!(told_of.iter().any(|event| event.starts_with(start)), "{told_of:#?}");
    let written: Vec<_> = writes(cluster, before).await.iter().map(|e| format!("{} {}", e.verb, e.resource)).collect();
    assert_eq!(written, ["update daemonsets"]);
}

async fn foreign_metadata_outlives_an_update(cluster: &ControlPlane, spec: &str) {
    let metadata = json!({"labels": {"example.com/team": "meadow"}, "annotations": {"example.com/note": "mine"},
        "finalizers": ["example.com/hold"]});
    edit(cluster, NODE, json!({"metadata": metadata})).await;
    installation(cluster, "default", &spec.replace("9081", "9082")).await;
    let updated = || async { Ok(object(cluster, NODE).await["spec"].to_string().contains("9082").then_some(())) };
    cluster.wait_for("calico-node to have the new port", DEADLINE, updated).await.unwrap();
    let found = object(cluster, NODE).await["metadata"].take();
    assert_eq!(found["labels"]["example.com/team"], "meadow");
    assert_eq!(found["annotations"]["example.com/note"], "mine");
    assert_eq!(found["finalizers"], metadata["finalizers"]);
    edit(cluster, NODE, json!({"metadata": {"finalizers": null}})).await;
}

/// The copy follows the original, which is never written.
async fn originals_are_copied(cluster: &ControlPlane, secret: &Value, endpoint: &Value) {
    assert_eq!(object(cluster, COPY).await["data"], secret["data"]);
    for (of, before) in [(PULL_SECRET, secret), (ENDPOINT, endpoint)] {
        assert_eq!(object(cluster, of).await, *before, "{} {}", of.1, of.3);
    }
    let data = json!({".dockerconfigjson": "eyJhdXRocyI6eyJmYXJtIjp7fX19"});
    edit(cluster, PULL_SECRET, json!({"data": data})).await;
    let followed = || async { Ok((object(cluster, COPY).await["data"] == data).then_some(())) };
    cluster.wait_for("the copy to follow", DEADLINE, followed).await.unwrap();
    let original = object(cluster, PULL_SECRET).await;
    assert_eq!(original["metadata"].get("ownerReferences"), None);
    let hands = original["metadata"]["managedFields"].as_array().unwrap();
    assert!(hands.iter().all(|entry| entry["manager"] != FIELD_MANAGER), "{hands:#?}");
}
