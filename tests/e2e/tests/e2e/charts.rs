//! GatewayAPI and Istio: what they need, and all of it with the charts of `tests/charts`, packed as a release packs the real ones.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use chimera_e2e::cluster::{self, DEADLINE, condition, delete, get, wait_available, wait_condition};
use chimera_e2e::operator::{Operator, binary, root};
use chimera_e2e::writes;
use chimera_kit::ControlPlane;
use serde_json::{Value, json};

/// After this long without a write nothing is contested, and no Job comes back.
const REST: Duration = Duration::from_secs(4);
const CRD: &str = "apiextensions.k8s.io/v1";
const GATEWAY: &str = "gateway.networking.k8s.io/v1";
const ENVOY: &str = "gateway.envoyproxy.io/v1alpha1";
const INSTALLATION: &str = "{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {name: default}, spec: {registry: farm.example, imagePath: wool}}";
const RESOURCES: &str = "
{apiVersion: operator.tigera.io/v1, kind: GatewayAPI, metadata: {name: default}, spec: {gatewayClasses: [{name: inner}, {name: outer, gatewayKind: DaemonSet}]}}
---
{apiVersion: operator.tigera.io/v1, kind: Istio, metadata: {name: default}, spec: {dscpMark: 9, istiod: {spec: {template: {spec: {resources: {requests: {cpu: 123m}}}}}}}}
";
/// Of another program, which must not find its own definition changed.
const SHARED: &str = "
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: gateways.gateway.networking.k8s.io, annotations: {api-approved.kubernetes.io: 'unapproved, for tests only', of: another-program}}, spec: {group: gateway.networking.k8s.io, scope: Namespaced, names: {kind: Gateway, plural: gateways}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}
";

/// Packs the charts as a build does.
fn pack(folder: &Path) -> Result<()> {
    let mut xtask = chimera_kit::cargo();
    xtask.args([
        "xtask",
        "charts",
        "--gateway-chart",
        "tests/charts/gateway",
        "--istio-charts",
        "tests/charts/istio",
        "--output",
    ]);
    let status = xtask.arg(folder).current_dir(root()).status().context("failed to start cargo")?;
    ensure!(status.success(), "cargo xtask charts failed");
    Ok(())
}

/// What an administrator pipes into kubectl.
fn rights(folder: &Path) -> Result<String> {
    let output = Command::new(binary()?).args(["charts", "--output=rbac", "--chart-bundles"]).arg(folder).output()?;
    ensure!(output.status.success(), "chimera charts failed: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).context("what it prints is text")
}

/// One object that must be there.
async fn the(cluster: &ControlPlane, api_version: &str, kind: &str, namespace: Option<&str>, name: &str) -> Value {
    let found = get(&cluster.client(), api_version, kind, namespace, name).await.unwrap();
    found.unwrap_or_else(|| panic!("there is no {kind} {name}"))
}

async fn wait_gone(cluster: &ControlPlane, api_version: &str, kind: &str, namespace: Option<&str>, name: &str) {
    let client = cluster.client();
    let gone = || async { Ok(get(&client, api_version, kind, namespace, name).await?.is_none().then_some(())) };
    cluster.wait_for(&format!("{kind} {name} to go"), DEADLINE, gone).await.unwrap();
}

fn image(object: &Value) -> &str {
    object.pointer("/spec/template/spec/containers/0/image").and_then(Value::as_str).unwrap_or_default()
}

async fn gateway_runs(cluster: &ControlPlane) {
    let namespace = Some("tigera-gateway");
    let deployment = the(cluster, "apps/v1", "Deployment", namespace, "envoy-gateway").await;
    assert!(image(&deployment).starts_with("farm.example/wool/envoy-gateway:"), "{deployment:#}");
    let job = the(cluster, "batch/v1", "Job", namespace, "tigera-gateway-api-gateway-helm-certgen").await;
    assert!(image(&job).starts_with("farm.example/wool/envoy-gateway:"), "{job:#}");
    let config = the(cluster, "v1", "ConfigMap", namespace, "envoy-gateway-config").await;
    assert!(config["data"]["envoy-gateway.yaml"].as_str().unwrap().contains("farm.example/wool/envoy-ratelimit:"));
    for (class, workload) in [("inner", "envoyDeployment"), ("outer", "envoyDaemonSet")] {
        let parameters = &the(cluster, GATEWAY, "GatewayClass", None, class).await["spec"]["parametersRef"];
        assert_eq!((&parameters["name"], &parameters["namespace"]), (&json!(class), &json!("tigera-gateway")));
        let proxy = the(cluster, ENVOY, "EnvoyProxy", namespace, class).await;
        let image = proxy["spec"]["provider"]["kubernetes"][workload]["container"]["image"].as_str().unwrap();
        assert!(image.starts_with("farm.example/wool/envoy-proxy:"), "{proxy:#}");
    }
    let shared = the(cluster, CRD, "CustomResourceDefinition", None, "gateways.gateway.networking.k8s.io").await;
    assert_eq!(shared["metadata"]["annotations"]["of"], "another-program");
    assert_eq!(shared["spec"]["names"].get("singular"), Some(&json!("gateway")), "the API server's own default");
    assert!(shared["metadata"]["labels"].is_null(), "not touched: {shared:#}");
}

async fn mesh_runs(cluster: &ControlPlane) {
    let namespace = Some("calico-system");
    let istiod = the(cluster, "apps/v1", "Deployment", namespace, "istiod").await;
    assert!(image(&istiod).starts_with("farm.example/wool/istio-pilot:"), "{istiod:#}");
    let container = &istiod["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["resources"]["requests"]["cpu"], "123m");
    let env = container["env"].as_array().unwrap();
    assert!(
        env.contains(&json!({"name": "PILOT_ENABLE_AMBIENT", "value": "true"})),
        "rendered with our values: {env:?}"
    );
    let agent = the(cluster, "apps/v1", "DaemonSet", namespace, "istio-cni-node").await;
    let env = agent["spec"]["template"]["spec"]["containers"][0]["env"].as_array().unwrap();
    assert!(env.contains(&json!({"name": "MAGIC_DSCP_MARK", "value": "9"})), "{env:?}");
    the(cluster, "apps/v1", "DaemonSet", namespace, "ztunnel").await;
    the(cluster, "autoscaling/v2", "HorizontalPodAutoscaler", namespace, "istiod").await;
    let felix = the(cluster, "crd.projectcalico.org/v1", "FelixConfiguration", None, "default").await;
    assert_eq!((&felix["spec"]["istioAmbientMode"], &felix["spec"]["istioDSCPMark"]), (&json!("Enabled"), &json!(9)));
}

/// A class that the resource names no more goes, and so does all of it with the resources; definitions stay.
async fn goes(cluster: &ControlPlane) {
    let fewer = "{apiVersion: operator.tigera.io/v1, kind: GatewayAPI, metadata: {name: default}, spec: {gatewayClasses: [{name: inner}]}}";
    cluster.apply_yaml(fewer).await.unwrap();
    wait_gone(cluster, GATEWAY, "GatewayClass", None, "outer").await;
    wait_gone(cluster, ENVOY, "EnvoyProxy", Some("tigera-gateway"), "outer").await;
    for kind in ["GatewayAPI", "Istio"] {
        let live = the(cluster, "operator.tigera.io/v1", kind, None, "default").await;
        delete(&cluster.client(), &live).await.unwrap();
    }
    for (api_version, kind, namespace, name) in [
        ("v1", "Namespace", None, "tigera-gateway"),
        (GATEWAY, "GatewayClass", None, "inner"),
        ("apps/v1", "Deployment", Some("calico-system"), "istiod"),
        ("apps/v1", "DaemonSet", Some("calico-system"), "ztunnel"),
        ("rbac.authorization.k8s.io/v1", "ClusterRole", None, "istiod-clusterrole-calico-system"),
        ("operator.tigera.io/v1", "TigeraStatus", None, "gatewayapi"),
        ("operator.tigera.io/v1", "TigeraStatus", None, "istio"),
    ] {
        wait_gone(cluster, api_version, kind, namespace, name).await;
    }
    let forgot = || async {
        let felix = the(cluster, "crd.projectcalico.org/v1", "FelixConfiguration", None, "default").await;
        let annotations = felix["metadata"]["annotations"].to_string();
        Ok((felix["spec"]["istioAmbientMode"].is_null() && !annotations.contains("istio")).then_some(()))
    };
    cluster.wait_for("Felix to forget the mesh", DEADLINE, forgot).await.unwrap();
    the(cluster, CRD, "CustomResourceDefinition", None, "envoyproxies.gateway.envoyproxy.io").await;
}

#[tokio::test]
async fn without_charts_the_resources_say_which_are_missing_and_with_charts_they_converge_and_go() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();
    cluster.apply_yaml(INSTALLATION).await.unwrap();
    cluster.apply_yaml(RESOURCES).await.unwrap();
    for (name, resource, input) in
        [("gatewayapi", "GatewayAPI default", "--gateway-chart"), ("istio", "Istio default", "--istio-charts")]
    {
        let (reason, message) = wait_condition(&cluster, name, "Degraded").await.unwrap();
        assert_eq!(reason, "ResourceNotSupported");
        assert!(message.starts_with(resource) && message.contains(input), "{message}");
    }
    wait_available(&cluster).await.unwrap();
    assert!(operator.stop().await.unwrap().success());

    let bundles = tempfile::tempdir().unwrap();
    pack(bundles.path()).unwrap();
    cluster.apply_yaml(&rights(bundles.path()).unwrap()).await.unwrap();
    cluster.apply_yaml(SHARED).await.unwrap();
    let flag = format!("--chart-bundles={}", bundles.path().display());
    let operator = Operator::start(&cluster, &[&flag]).unwrap();
    for name in ["gatewayapi", "istio"] {
        wait_condition(&cluster, name, "Available").await.unwrap();
        let degraded = condition(&cluster.client(), name, "Degraded").await.unwrap();
        assert!(degraded.is_some_and(|(status, ..)| status == "False"), "{name}");
    }
    for kind in ["GatewayAPI", "Istio"] {
        let conditions =
            the(&cluster, "operator.tigera.io/v1", kind, None, "default").await["status"]["conditions"].clone();
        let ready =
            conditions.as_array().unwrap().iter().find(|condition| condition["type"] == "Ready").unwrap().clone();
        assert_eq!(ready["status"], "True", "{kind}: {ready}");
    }
    writes::quiet(&cluster, "the last writes", REST).await.unwrap();
    gateway_runs(&cluster).await;
    mesh_runs(&cluster).await;
    goes(&cluster).await;
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}
