//! What an Installation depends on beside itself: another Installation, other resources, the operator's namespace.

use std::collections::BTreeSet;

use anyhow::Result;
use chimera_e2e::cluster::{self, DEADLINE, condition, get, prepare, wait_available, wait_condition};
use chimera_e2e::operator::Operator;
use chimera_kit::ControlPlane;
use kube::Api;
use kube::api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, Patch, PatchParams};
use serde_json::{Value, json};

const DEFAULT: &str =
    "{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {name: default}, spec: {imagePath: meadow}}";
const OVERLAY: &str = "{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {name: overlay}, spec: {registry: farm.example}}";

async fn daemon_set(cluster: &ControlPlane) -> Result<Option<Value>> {
    get(&cluster.client(), "apps/v1", "DaemonSet", Some("calico-system"), "calico-node").await
}

/// Waits until the image of calico-node starts so.
async fn wait_image(cluster: &ControlPlane, start: &str) {
    let check = || async {
        let image = daemon_set(cluster).await?.and_then(|object| {
            object.pointer("/spec/template/spec/containers/0/image").and_then(Value::as_str).map(str::to_owned)
        });
        Ok(image.filter(|image| image.starts_with(start)))
    };
    cluster.wait_for(&format!("an image of {start}"), DEADLINE, check).await.unwrap();
}

fn cluster_scoped(cluster: &ControlPlane, group: &str, kind: &str, plural: &str) -> Api<DynamicObject> {
    let resource = ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, "v1", kind), plural);
    Api::all_with(cluster.client(), &resource)
}

#[tokio::test]
async fn the_installation_named_overlay_goes_before_the_one_named_default_for_as_long_as_it_is_there() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();
    cluster.apply_yaml(DEFAULT).await.unwrap();
    wait_available(&cluster).await.unwrap();
    wait_image(&cluster, "quay.io/meadow/").await;

    cluster.apply_yaml(OVERLAY).await.unwrap();
    wait_image(&cluster, "farm.example/meadow/").await;
    wait_available(&cluster).await.unwrap();
    let installation = |name: &'static str| {
        let client = cluster.client();
        async move { get(&client, "operator.tigera.io/v1", "Installation", None, name).await.unwrap().unwrap() }
    };
    let default = installation("default").await;
    assert_eq!(default["spec"].get("registry"), None, "the user's spec is never written: {}", default["spec"]);
    let computed = || async {
        let object = get(&cluster.client(), "operator.tigera.io/v1", "Installation", None, "default").await?;
        let registry = object.and_then(|object| object.pointer("/status/computed/registry").cloned());
        Ok((registry == Some("farm.example/".into())).then_some(()))
    };
    cluster.wait_for("what is in force to be told", DEADLINE, computed).await.unwrap();
    assert!(installation("overlay").await.get("status").is_none(), "its state is told by the other");
    assert!(!operator.log().contains("CHM0191"), "it is no stray: {}", operator.log());

    let installations = cluster_scoped(&cluster, "operator.tigera.io", "Installation", "installations");
    installations.delete("overlay", &DeleteParams::default()).await.unwrap();
    wait_image(&cluster, "quay.io/meadow/").await;
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_resource_that_only_windows_depends_on_wakes_the_operator_when_it_changes() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();
    let case = include_str!("../../../golden/cases/windows-hns.yaml");
    prepare(&cluster, case).await.unwrap();
    wait_available(&cluster).await.unwrap();
    let settled = || async {
        let found = condition(&cluster.client(), "calico-windows", "Degraded").await?;
        Ok(found.filter(|(status, ..)| status == "False").map(drop))
    };
    cluster.wait_for("calico-windows to be in order", DEADLINE, settled).await.unwrap();

    // Nothing else changes, and without a change everything is looked over long after the deadline only.
    let ipam = cluster_scoped(&cluster, "crd.projectcalico.org", "IPAMConfig", "ipamconfigs");
    for (strict, degraded) in [(false, true), (true, false)] {
        let patch = Patch::Merge(json!({"spec": {"strictAffinity": strict}}));
        ipam.patch("default", &PatchParams::default(), &patch).await.unwrap();
        if degraded {
            let (_, message) = wait_condition(&cluster, "calico-windows", "Degraded").await.unwrap();
            assert!(message.contains("strictAffinity") && message.contains("CHM0120"), "{message}");
        } else {
            cluster.wait_for("calico-windows to be in order again", DEADLINE, settled).await.unwrap();
        }
    }
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn in_another_namespace_the_operator_keeps_everything_of_its_own_there() {
    let cluster = cluster::with_crds(1).await.unwrap();
    cluster.apply_yaml("{apiVersion: v1, kind: Namespace, metadata: {name: barn}}").await.unwrap();
    cluster
        .apply_yaml(
            "{apiVersion: v1, kind: Secret, metadata: {name: pull, namespace: barn}, type: Opaque, stringData: {a: b}}",
        )
        .await
        .unwrap();
    let operator = Operator::start(&cluster, &["--namespace=barn"]).unwrap();
    cluster.apply_yaml(&DEFAULT.replace("imagePath: meadow", "imagePullSecrets: [{name: pull}]")).await.unwrap();
    wait_available(&cluster).await.unwrap();

    let secrets = async |namespace: &str| -> BTreeSet<String> {
        let api: Api<k8s_openapi::api::core::v1::Secret> = Api::namespaced(cluster.client(), namespace);
        let names = api.list(&kube::api::ListParams::default()).await.unwrap().items;
        names.into_iter().filter_map(|secret| secret.metadata.name).collect()
    };
    let own: BTreeSet<_> = ["node-certs", "pull", "tigera-ca-private", "typha-certs"].map(String::from).into();
    assert_eq!(secrets("barn").await, own);
    assert!(secrets("tigera-operator").await.is_empty());
    let of = async |api_version: &str, kind: &str, name: &str| {
        get(&cluster.client(), api_version, kind, Some("calico-system"), name).await.unwrap().unwrap()
    };
    let binding = of("rbac.authorization.k8s.io/v1", "RoleBinding", "tigera-operator-secrets").await;
    assert_eq!(binding["subjects"][0]["namespace"], "barn");
    assert_eq!(of("v1", "ConfigMap", "active-operator").await["data"], json!({"active-namespace": "barn"}));
    assert!(secrets("calico-system").await.contains("pull"));
    let node = daemon_set(&cluster).await.unwrap().unwrap();
    let annotations = node.pointer("/spec/template/metadata/annotations").unwrap().to_string();
    assert!(annotations.contains("barn.hash.operator.tigera.io/tigera-ca-private"), "{annotations}");
    assert!(!annotations.contains("tigera-operator.hash"), "{annotations}");
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_status_without_its_resource_goes_and_that_of_another_program_stays() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let ours = ["apiserver", "goldmane", "whisker", "gatewayapi", "istio", "management-cluster-connection"];
    for name in ours.into_iter().chain(["of-another-program"]) {
        let status = json!({"apiVersion": "operator.tigera.io/v1", "kind": "TigeraStatus", "metadata": {"name": name}});
        cluster.apply_yaml(&status.to_string()).await.unwrap();
    }
    let operator = Operator::start(&cluster, &[]).unwrap();
    let client = cluster.client();
    let there = |name: &'static str| {
        let client = client.clone();
        async move { get(&client, "operator.tigera.io/v1", "TigeraStatus", None, name).await.map(|found| found.is_some()) }
    };
    for name in ours {
        let gone = || async { Ok((!there(name).await?).then_some(())) };
        cluster.wait_for(&format!("TigeraStatus {name} to go"), DEADLINE, gone).await.unwrap();
    }
    assert!(there("of-another-program").await.unwrap());
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}
