//! Resources of single components against a real API server: what is right is taken as it is, what is wrong is refused by field.

use std::path::Path;

use chimera_e2e::cluster;
use chimera_e2e::operator::root;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, Patch, PatchParams};
use kube::{Api, Client};
use serde_json::{Value, json};

/// What the API server says of an object, which is not kept.
async fn applied(client: &Client, object: &Value) -> Result<(), String> {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("operator.tigera.io", "v1", text(object, "/kind")));
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
    let params = PatchParams::apply("schemas").dry_run().validation_strict();
    let done = api.patch(text(object, "/metadata/name"), &params, &Patch::Apply(object)).await;
    done.map(drop).map_err(|error| error.to_string())
}

fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{object} has no {pointer}"))
}

fn named(kind: &str, name: &str, spec: Value) -> Value {
    json!({"apiVersion": "operator.tigera.io/v1", "kind": kind, "metadata": {"name": name}, "spec": spec})
}

fn documents(file: &Path) -> Vec<Value> {
    let yaml = std::fs::read_to_string(file).unwrap();
    serde_saphyr::from_multiple(&yaml).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Every sample, and every field there is.
fn right() -> Vec<Value> {
    let samples = std::fs::read_dir(root().join("crds/samples")).unwrap().map(|entry| entry.unwrap().path());
    let data = [root().join("crds/tests/data/components.yaml")];
    let mut right: Vec<_> = samples.chain(data).flat_map(|file| documents(&file)).collect();
    for mark in [json!(0), json!(63), json!("63"), json!("af43"), json!("CS0"), json!("EF")] {
        right.push(named("Istio", "default", json!({"dscpMark": mark})));
    }
    // Which of these means something is known to the plugins that are loaded.
    for kind in ["APIServer", "GatewayAPI", "ManagementClusterConnection"] {
        right.push(named(kind, "tigera-other", json!({})));
    }
    right
}

/// Kind, spec, and the field that has to be named.
fn wrong() -> Vec<(&'static str, Value, &'static str)> {
    let pod = |spec: Value| json!({"spec": {"template": {"spec": spec}}});
    let port = |port: i32| {
        pod(
            json!({"containers": [{"name": "calico-apiserver", "ports": [{"name": "apiserver", "containerPort": port}]}]}),
        )
    };
    let class = |class: Value| json!({"gatewayClasses": [class]});
    vec![
        ("APIServer", json!({"logging": {"apiServer": {"logSeverity": "Loud"}}}), "spec.logging.apiServer.logSeverity"),
        ("APIServer", json!({"apiServerDeployment": port(0)}), "containers[0].ports[0].containerPort"),
        ("APIServer", json!({"apiServerDeployment": port(65_536)}), "containers[0].ports[0].containerPort"),
        (
            "APIServer",
            json!({"apiServerDeployment": pod(json!({"containers": [{"name": "sheep"}]}))}),
            "containers[0].name",
        ),
        ("Goldmane", json!({"metricsPort": 65_536}), "spec.metricsPort"),
        ("Goldmane", json!({"goldmaneDeployment": {"spec": {"minReadySeconds": -1}}}), "spec.minReadySeconds"),
        (
            "Goldmane",
            json!({"goldmaneDeployment": pod(json!({"terminationGracePeriodSeconds": -1}))}),
            "template.spec.terminationGracePeriodSeconds",
        ),
        ("Whisker", json!({"notifications": "Maybe"}), "spec.notifications"),
        (
            "Whisker",
            json!({"whiskerDeployment": {"spec": {"template": {"spec": {"hostNetwork": true}}}}}),
            "hostNetwork",
        ),
        ("ManagementClusterConnection", json!({"managementClusterAddr": "no.port"}), "spec.managementClusterAddr"),
        ("ManagementClusterConnection", json!({"tls": {"ca": "Own"}}), "spec.tls.ca"),
        ("GatewayAPI", json!({"crdManagement": "Own"}), "spec.crdManagement"),
        ("GatewayAPI", json!({"envoyGatewayConfigRef": {"name": "x"}}), "spec.envoyGatewayConfigRef.namespace"),
        ("GatewayAPI", class(json!({})), "spec.gatewayClasses[0].name"),
        ("GatewayAPI", class(json!({"name": "x", "gatewayKind": "Pod"})), "spec.gatewayClasses[0].gatewayKind"),
        (
            "GatewayAPI",
            class(json!({"name": "x", "gatewayService": {"spec": {"patch": {}}}})),
            "gatewayService.spec.patch.value",
        ),
        (
            "GatewayAPI",
            class(json!({"name": "x", "gatewayService": {"spec": {"patch": {"type": "Replace", "value": {}}}}})),
            "gatewayService.spec.patch.type",
        ),
        ("Istio", json!({"dscpMark": 64}), "spec.dscpMark"),
        ("Istio", json!({"dscpMark": -1}), "spec.dscpMark"),
        ("Istio", json!({"dscpMark": "64"}), "spec.dscpMark"),
        ("Istio", json!({"dscpMark": "AF44"}), "spec.dscpMark"),
        ("Istio", json!({"waypointLogging": "Loud"}), "spec.waypointLogging"),
    ]
}

#[tokio::test]
async fn samples_and_every_field_are_taken_and_each_breach_is_refused_with_its_field() {
    let cluster = cluster::with_crds(0).await.unwrap();
    let client = cluster.client();
    let mut problems = Vec::new();
    for object in right() {
        if let Err(error) = applied(&client, &object).await {
            problems.push(format!("refused {object}: {error}"));
        }
    }
    let kinds = ["APIServer", "Goldmane", "Whisker", "ManagementClusterConnection", "GatewayAPI", "Istio"];
    let misnamed = kinds.iter().map(|kind| (named(kind, "other", json!({})), "metadata.name"));
    let wrong = wrong().into_iter().map(|(kind, spec, field)| (named(kind, "default", spec), field)).chain(misnamed);
    for (object, field) in wrong {
        match applied(&client, &object).await {
            Err(error) if error.contains(field) => {}
            result => problems.push(format!("{field} of {object}: {result:?}")),
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    cluster.stop().await.unwrap();
}
