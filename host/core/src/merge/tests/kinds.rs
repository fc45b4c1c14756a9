//! Rules by kind: what a live object keeps, and what has to be created again.

use serde_json::{Value, json};

use crate::defaulting;
use crate::merge::{Plan, anew, plan};
use crate::object::Object;

fn object(api_version: &str, kind: &str, body: &Value) -> Object {
    let mut object =
        json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "sheep", "namespace": "meadow"}});
    object.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
    Object::from_value(object).unwrap()
}

/// As stored, everything set by the operator.
fn live(api_version: &str, kind: &str, body: &Value) -> Value {
    let mut object = object(api_version, kind, body);
    defaulting::default(&mut object);
    let mut live = object.into_value();
    let sets: serde_json::Map<_, _> =
        live.as_object().unwrap().keys().map(|name| (format!("f:{name}"), json!({}))).collect();
    live["metadata"]["managedFields"] = json!([{"manager": "chimera", "operation": "Update", "fieldsV1": sets}]);
    live
}

fn result(api_version: &str, kind: &str, before: Value, after: Value) -> Plan {
    plan(&live(api_version, kind, &before), &object(api_version, kind, &after), false)
}

#[track_caller]
fn unchanged(api_version: &str, kind: &str, before: Value, after: Value) {
    assert_eq!(result(api_version, kind, before, after), Plan::Unchanged);
}

#[track_caller]
fn updated(api_version: &str, kind: &str, before: Value, after: Value, pointer: &str, want: Value) {
    let Plan::Update(update) = result(api_version, kind, before, after) else { panic!("nothing to write") };
    assert_eq!(update.object.pointer(pointer), (!want.is_null()).then_some(&want), "{}", update.object);
}

#[track_caller]
fn recreated(api_version: &str, kind: &str, before: Value, after: Value, field: &'static str) {
    assert_eq!(result(api_version, kind, before, after), Plan::Recreate(field));
}

#[test]
fn a_service_keeps_what_was_assigned_to_it() {
    let assigned = json!({"spec": {"clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"], "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack", "type": "NodePort", "healthCheckNodePort": 31000,
        "ports": [{"port": 80, "nodePort": 30080}, {"port": 81, "nodePort": 30081}]}});
    let wanted = json!({"spec": {"type": "NodePort", "ports": [{"port": 80}, {"port": 81}]}});
    unchanged("v1", "Service", assigned.clone(), wanted);
    let fewer = json!({"spec": {"type": "NodePort", "ports": [{"port": 81}, {"port": 82}]}});
    let ports = json!([{"port": 81, "nodePort": 30081, "protocol": "TCP", "targetPort": 81},
        {"port": 82, "protocol": "TCP", "targetPort": 82}]);
    updated("v1", "Service", assigned.clone(), fewer, "/spec/ports", ports);
    let inside = json!({"spec": {"ports": [{"port": 80}]}});
    updated("v1", "Service", assigned, inside.clone(), "/spec/ports/0/nodePort", Value::Null);
    let headless = json!({"spec": {"clusterIP": "None", "clusterIPs": ["None"], "ports": [{"port": 80}]}});
    unchanged("v1", "Service", headless.clone(), json!({"spec": {"clusterIP": "None", "ports": [{"port": 80}]}}));
    recreated("v1", "Service", headless.clone(), inside.clone(), "spec.clusterIP");
    recreated("v1", "Service", inside, headless, "spec.clusterIP");
}

#[test]
fn a_deployment_keeps_its_replicas_where_an_autoscaler_sets_them() {
    let spec = |replicas: Value| json!({"spec": {"replicas": replicas}});
    unchanged("apps/v1", "Deployment", spec(5.into()), json!({"spec": {}}));
    updated("apps/v1", "Deployment", spec(5.into()), spec(2.into()), "/spec/replicas", json!(2));
    let mut scaled = live("apps/v1", "Deployment", &spec(5.into()));
    scaled["metadata"]["managedFields"].as_array_mut().unwrap().push(json!({"manager": "kube-controller-manager",
        "operation": "Update", "subresource": "scale", "fieldsV1": {"f:spec": {"f:replicas": {}}}}));
    assert_eq!(plan(&scaled, &object("apps/v1", "Deployment", &spec(2.into())), false), Plan::Unchanged);
}

#[test]
fn what_is_filled_into_a_service_account_is_no_difference() {
    let filled = json!({"secrets": [{"name": "token"}], "imagePullSecrets": [{"name": "theirs"}],
        "automountServiceAccountToken": false});
    unchanged("v1", "ServiceAccount", filled.clone(), json!({}));
    let wanted = json!({"imagePullSecrets": [{"name": "ours"}]});
    let both = json!([{"name": "theirs"}, {"name": "ours"}]);
    updated("v1", "ServiceAccount", filled, wanted, "/imagePullSecrets", both);
}

#[test]
fn keys_that_a_secret_no_longer_has_go() {
    let before = json!({"data": {"a": "YQ==", "old": "YQ=="}});
    updated("v1", "Secret", before.clone(), json!({"data": {"a": "Yg=="}}), "/data", json!({"a": "Yg=="}));
    unchanged("v1", "Secret", before, json!({"stringData": {"a": "a", "old": "a"}}));
}

#[test]
fn certificates_that_others_inject_stay_where_desired_has_none() {
    let hook = |config: Value| json!({"webhooks": [{"name": "h", "clientConfig": config}]});
    let with = json!({"service": {"name": "s", "namespace": "n"}, "caBundle": "x"});
    let without = json!({"service": {"name": "s", "namespace": "n"}});
    let (group, kind) = ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration");
    unchanged(group, kind, hook(with.clone()), hook(without.clone()));
    let mut own = with.clone();
    own["caBundle"] = "y".into();
    updated(group, kind, hook(with.clone()), hook(own), "/webhooks/0/clientConfig/caBundle", json!("y"));
    let spec = |spec: &Value| json!({"spec": spec});
    unchanged("apiregistration.k8s.io/v1", "APIService", spec(&with), spec(&without));
    let conversion =
        |config: &Value| json!({"spec": {"conversion": {"strategy": "Webhook", "webhook": {"clientConfig": config}}}});
    let group = "apiextensions.k8s.io/v1";
    unchanged(group, "CustomResourceDefinition", conversion(&with), conversion(&without));
}

#[test]
fn labels_that_a_namespace_had_before_stay() {
    let mut before = live("v1", "Namespace", &json!({"metadata": {"name": "sheep", "labels": {"team": "dogs"}}}));
    before["metadata"]["managedFields"][0]["manager"] = "kubectl-create".into();
    let wanted = json!({"metadata": {"name": "sheep", "labels": {"ours": "1"}}});
    let Plan::Update(update) = plan(&before, &object("v1", "Namespace", &wanted), false) else { panic!() };
    let labels = json!({"team": "dogs", "ours": "1", "kubernetes.io/metadata.name": "sheep"});
    assert_eq!(update.object["metadata"]["labels"], labels);
}

fn job(image: &str, note: &str) -> Value {
    json!({"spec": {"template": {"metadata": {"annotations": {"note": note}},
        "spec": {"containers": [{"name": "c", "image": image}], "restartPolicy": "Never"}}}})
}

#[test]
fn a_job_keeps_its_spec_until_its_image_or_annotations_change() {
    let mut before = job("a:1", "x");
    before["spec"]["selector"] = json!({"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}});
    before["spec"]["template"]["metadata"]["labels"] = json!({"batch.kubernetes.io/controller-uid": "u"});
    unchanged("batch/v1", "Job", before.clone(), job("a:1", "x"));
    recreated("batch/v1", "Job", before.clone(), job("a:2", "x"), "spec.template.spec.containers");
    recreated("batch/v1", "Job", before.clone(), job("a:1", "y"), "spec.template.metadata.annotations");
    let mut suspended = job("a:1", "x");
    suspended["spec"]["suspend"] = true.into();
    updated("batch/v1", "Job", before, suspended, "/spec/suspend", json!(true));
}

#[test]
fn what_cannot_be_changed_in_place_is_created_again() {
    recreated("v1", "Secret", json!({"type": "kubernetes.io/tls"}), json!({}), "type");
    let role = |name: &str| json!({"roleRef": {"kind": "ClusterRole", "name": name}});
    for kind in ["RoleBinding", "ClusterRoleBinding"] {
        recreated("rbac.authorization.k8s.io/v1", kind, role("a"), role("b"), "roleRef");
        unchanged("rbac.authorization.k8s.io/v1", kind, role("a"), role("a"));
    }
    let selector = |app: &str| json!({"spec": {"selector": {"matchLabels": {"k8s-app": app}}}});
    for kind in ["DaemonSet", "Deployment", "StatefulSet"] {
        recreated("apps/v1", kind, selector("a"), selector("b"), "spec.selector");
    }
}

#[test]
fn what_is_created_again_keeps_what_others_laid_on_it_and_nothing_that_the_api_server_set() {
    let mut former = live("apps/v1", "Deployment", &json!({"spec": {"replicas": 5}}));
    let theirs = json!({"apiVersion": "farm.example.com/v1", "kind": "Farm", "name": "theirs", "uid": "f"});
    former["metadata"] = json!({"name": "sheep", "namespace": "meadow", "uid": "u", "resourceVersion": "7",
        "generation": 3, "creationTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["farm.example.com/f"],
        "deletionTimestamp": "2026-01-01T00:00:00Z", "labels": {"theirs": "1", "old": "1"},
        "annotations": {"theirs": "1", "deployment.kubernetes.io/revision": "4"}, "ownerReferences": [theirs],
        "managedFields": [{"manager": "chimera", "operation": "Update",
            "fieldsV1": {"f:metadata": {"f:labels": {"f:old": {}}}}}]});
    let metadata = json!({"name": "sheep", "namespace": "meadow", "labels": {"ours": "1"}});
    let desired = object("apps/v1", "Deployment", &json!({"spec": {"paused": true}, "metadata": metadata}));
    let anew = anew(&former, &desired);
    let mut want = json!({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"paused": true},
        "metadata": metadata});
    want["metadata"]["ownerReferences"] = json!([theirs]);
    assert_eq!(anew.object.clone().into_value(), want);
    let mut created = want.clone();
    created["metadata"]["uid"] = "v".into();
    let mut kept = created.clone();
    kept["metadata"]["labels"]["theirs"] = "1".into();
    kept["metadata"]["annotations"] = json!({"theirs": "1"});
    assert_eq!(anew.with_kept(&created), Some(kept));
    former["metadata"] = json!({"name": "sheep", "namespace": "meadow", "labels": {"ours": "1"}});
    assert_eq!(crate::merge::anew(&former, &desired).with_kept(&created), None, "there is nothing to write");
}
