use serde_json::{Value, json};

use super::*;

fn defaulted(value: Value) -> Value {
    let mut object = Object::from_value(value).unwrap();
    default(&mut object);
    object.into_value()
}

/// Each of: what it is, kind, fields as written, the fields that come out at the pointer.
fn check(what: &str, api_version: &str, kind: &str, fields: Value, pointer: &str, want: &Value) {
    let mut input = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "sheep"}});
    input.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let got = defaulted(input);
    assert_eq!(got.pointer(pointer), (!want.is_null()).then_some(want), "{what}: {pointer} of {got}");
    assert_eq!(defaulted(got.clone()), got, "{what}: defaults of defaults");
}

fn container(fields: Value, pointer: &str, want: Value) {
    let pods = json!({"spec": {"template": {"spec": {"containers": [fields.clone()]}}}});
    let pointer = format!("/spec/template/spec/containers/0{pointer}");
    check(&fields.to_string(), "apps/v1", "DaemonSet", pods, &pointer, &want);
}

fn volume(fields: Value, pointer: &str, want: Value) {
    let pods = json!({"spec": {"template": {"spec": {"volumes": [fields.clone()]}}}});
    let pointer = format!("/spec/template/spec/volumes/0{pointer}");
    check(&fields.to_string(), "apps/v1", "Deployment", pods, &pointer, &want);
}

#[test]
fn containers_are_filled_as_the_api_server_does() {
    container(json!({"image": "a/b:1"}), "/imagePullPolicy", json!("IfNotPresent"));
    container(json!({"image": "a:5000/b"}), "/imagePullPolicy", json!("Always"));
    container(json!({"image": "a/b:latest"}), "/imagePullPolicy", json!("Always"));
    container(json!({"image": "a/b@sha256:0"}), "/imagePullPolicy", json!("IfNotPresent"));
    container(json!({}), "/resources", json!({}));
    container(json!({}), "/terminationMessagePath", json!("/dev/termination-log"));
    container(json!({"ports": [{"containerPort": 1}]}), "/ports/0", json!({"containerPort": 1, "protocol": "TCP"}));
    container(json!({"env": [{"name": "A", "value": ""}]}), "/env/0", json!({"name": "A"}));
    container(json!({"resources": {"limits": {"cpu": "1"}}}), "/resources", json!({"limits": {"cpu": "1"}}));
    let field = json!({"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}});
    container(json!({"env": [field]}), "/env/0/valueFrom/fieldRef/apiVersion", json!("v1"));
}

#[test]
fn probes_are_filled_as_the_api_server_does() {
    let filled = json!({"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3,
        "httpGet": {"path": "/", "port": 80, "scheme": "HTTP"}});
    container(json!({"livenessProbe": {"initialDelaySeconds": 0, "httpGet": {"port": 80}}}), "/livenessProbe", filled);
    container(json!({}), "/readinessProbe", Value::Null);
}

#[test]
fn volumes_are_filled_as_the_api_server_does() {
    volume(json!({"name": "a"}), "/emptyDir", json!({}));
    volume(json!({"name": "a", "hostPath": {"path": "/a"}}), "/hostPath/type", json!(""));
    volume(json!({"name": "a", "secret": {"secretName": "s"}}), "/secret/defaultMode", json!(420));
    volume(json!({"name": "a", "configMap": {"name": "s"}}), "/configMap/defaultMode", json!(420));
    let token = json!({"name": "a", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}});
    volume(token, "/projected/sources/0/serviceAccountToken/expirationSeconds", json!(3600));
}

#[test]
fn workloads_are_filled_as_the_api_server_does() {
    let pods = json!({"spec": {"template": {"spec": {"serviceAccountName": "s", "hostNetwork": false}}}});
    let filled = json!({"dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "schedulerName": "default-scheduler",
        "securityContext": {}, "terminationGracePeriodSeconds": 30, "serviceAccount": "s", "serviceAccountName": "s"});
    for kind in ["DaemonSet", "Deployment", "StatefulSet"] {
        check(kind, "apps/v1", kind, pods.clone(), "/spec/template/spec", &filled);
        check(kind, "apps/v1", kind, pods.clone(), "/spec/revisionHistoryLimit", &json!(10));
    }
    let rolling = json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}});
    check("daemon", "apps/v1", "DaemonSet", pods.clone(), "/spec/updateStrategy", &rolling);
    let recreate = json!({"spec": {"strategy": {"type": "Recreate"}}});
    check("recreate", "apps/v1", "Deployment", recreate, "/spec/strategy", &json!({"type": "Recreate"}));
    check("replicas", "apps/v1", "Deployment", json!({"spec": {"replicas": 0}}), "/spec/replicas", &json!(0));
    check("job", "batch/v1", "Job", pods, "/spec/backoffLimit", &json!(6));
}

#[test]
fn other_kinds_are_filled_as_the_api_server_does() {
    let ports = json!({"spec": {"ports": [{"port": 80}]}});
    let port = json!([{"port": 80, "protocol": "TCP", "targetPort": 80}]);
    check("service", "v1", "Service", ports.clone(), "/spec/ports", &port);
    check("service", "v1", "Service", ports.clone(), "/spec/internalTrafficPolicy", &json!("Cluster"));
    check("service", "v1", "Service", ports, "/spec/externalTrafficPolicy", &Value::Null);
    check("namespace", "v1", "Namespace", json!({}), "/spec/finalizers", &json!(["kubernetes"]));
    let label = "/metadata/labels/kubernetes.io~1metadata.name";
    check("namespace", "v1", "Namespace", json!({}), label, &json!("sheep"));
    check("secret", "v1", "Secret", json!({"stringData": {"a": "b"}}), "/data", &json!({"a": "Yg=="}));
    let role = json!({"roleRef": {"kind": "Role", "name": "r"}});
    let group = json!("rbac.authorization.k8s.io");
    check("binding", "rbac.authorization.k8s.io/v1", "RoleBinding", role, "/roleRef/apiGroup", &group);
    let hooks = json!({"webhooks": [{"clientConfig": {"service": {"name": "s"}}, "rules": [{}]}]});
    let admission = "admissionregistration.k8s.io/v1";
    check("hook", admission, "ValidatingWebhookConfiguration", hooks.clone(), "/webhooks/0/timeoutSeconds", &json!(10));
    check("hook", admission, "ValidatingWebhookConfiguration", hooks, "/webhooks/0/rules/0/scope", &json!("*"));
    let policy = json!({"spec": {"egress": [{"ports": [{"port": 1}]}]}});
    let both = json!(["Ingress", "Egress"]);
    check("policy", "networking.k8s.io/v1", "NetworkPolicy", policy, "/spec/policyTypes", &both);
}

#[test]
fn custom_resources_keep_their_nulls_and_empty_lists() {
    let spec = json!({"spec": {"pools": [], "name": null, "value": ""}});
    let want = spec.get("spec").unwrap().clone();
    check("custom", "farm.example.com/v1", "Meadow", spec, "/spec", &want);
}

/// Objects as a real API server stored them, where this checkout has them next to it.
fn stored() -> Vec<Value> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/goldens/expected");
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    let read = |path| serde_saphyr::from_multiple::<Value>(&std::fs::read_to_string(path).unwrap()).unwrap();
    files.flat_map(read).filter(Value::is_object).collect()
}

#[test]
fn what_an_api_server_stored_is_not_filled_any_further() {
    for value in stored() {
        assert_eq!(defaulted(value.clone()), value);
    }
}

/// Defaults whose loss must be made up for. The strategy and the replicas are the renderer's choice too.
const LEFT_OUT: [&str; 13] = [
    "dnsPolicy",
    "schedulerName",
    "restartPolicy",
    "serviceAccount",
    "terminationMessagePath",
    "terminationMessagePolicy",
    "resources",
    "securityContext",
    "defaultMode",
    "apiVersion",
    "scheme",
    "protocol",
    "successThreshold",
];

fn leave_out(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(leave_out),
        Value::Object(fields) => {
            let is_default = |name: &str, value: &Value| match name {
                "dnsPolicy" => value == "ClusterFirst",
                "resources" | "securityContext" => *value == json!({}),
                "scheme" => value == "HTTP",
                "protocol" => value == "TCP",
                _ => LEFT_OUT.contains(&name),
            };
            fields.retain(|name, value| !is_default(name, value));
            fields.values_mut().for_each(leave_out);
        }
        _ => {}
    }
}

#[test]
fn pod_templates_without_their_defaults_come_back_whole() {
    for value in stored().into_iter().filter(|value| value["kind"] == "DaemonSet" || value["kind"] == "Deployment") {
        let mut bare = value.clone();
        leave_out(bare.pointer_mut("/spec/template/spec").unwrap());
        assert_ne!(bare, value);
        assert_eq!(defaulted(bare), value);
    }
}
