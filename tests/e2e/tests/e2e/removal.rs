//! An Installation goes, and what it ran goes with it in an order that leaves nothing stuck.

use chimera_e2e::cluster::{self, DEADLINE, condition, get, wait_available};
use chimera_e2e::operator::Operator;
use chimera_e2e::{FIELD_MANAGER, OPERATOR_USER};
use chimera_kit::ControlPlane;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams};
use serde_json::{Value, json};

const DEFAULT: &str = "{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {name: default}, spec: {}}";
const RBAC: &str = "rbac.authorization.k8s.io/v1";

/// What a user made, beside what the operator makes; each must outlive the Installation untouched.
const USERS: &str = "
{apiVersion: crd.projectcalico.org/v1, kind: IPPool, metadata: {name: meadow}, spec: {cidr: 10.77.0.0/16, ipipMode: Never, vxlanMode: Never}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: shepherd, finalizers: [example.com/kept]}, rules: []}
---
{apiVersion: v1, kind: Secret, metadata: {name: wool, namespace: tigera-operator}, stringData: {a: b}}
";

fn users() -> [(&'static str, &'static str, Option<&'static str>, &'static str); 3] {
    [
        ("crd.projectcalico.org/v1", "IPPool", None, "meadow"),
        (RBAC, "ClusterRole", None, "shepherd"),
        ("v1", "Secret", Some("tigera-operator"), "wool"),
    ]
}

/// What keeps the CNI plugin able to take pods down.
fn protected() -> Vec<(&'static str, &'static str, Option<&'static str>, &'static str)> {
    let of = |name| {
        [
            ("v1", "ServiceAccount", Some("calico-system"), name),
            (RBAC, "ClusterRole", None, name),
            (RBAC, "ClusterRoleBinding", None, name),
        ]
    };
    ["calico-node", "calico-cni-plugin"].into_iter().flat_map(of).collect()
}

fn installations(cluster: &ControlPlane) -> Api<DynamicObject> {
    let gvk = GroupVersionKind::gvk("operator.tigera.io", "v1", "Installation");
    Api::all_with(cluster.client(), &ApiResource::from_gvk(&gvk))
}

async fn delete(cluster: &ControlPlane, params: DeleteParams) {
    installations(cluster).delete("default", &params).await.unwrap();
}

async fn force(cluster: &ControlPlane) {
    let patch = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    installations(cluster).patch("default", &PatchParams::default(), &patch).await.unwrap();
}

fn pods(cluster: &ControlPlane) -> Api<Pod> {
    Api::namespaced(cluster.client(), "calico-system")
}

async fn hold_pod(cluster: &ControlPlane, name: &str, finalizers: Value) {
    let patch = Patch::Merge(json!({"metadata": {"finalizers": finalizers}}));
    pods(cluster).patch(name, &PatchParams::default(), &patch).await.unwrap();
}

async fn kube_controllers(cluster: &ControlPlane) -> String {
    let params = ListParams::default().labels("k8s-app=calico-kube-controllers");
    pods(cluster).list(&params).await.unwrap().items.remove(0).metadata.name.unwrap()
}

async fn versions(cluster: &ControlPlane) -> Vec<Value> {
    let mut versions = Vec::new();
    for (api_version, kind, namespace, name) in users() {
        let object = get(&cluster.client(), api_version, kind, namespace, name).await.unwrap();
        versions.push(object.unwrap_or_else(|| panic!("{kind} {name} is gone"))["metadata"]["resourceVersion"].clone());
    }
    versions
}

/// Waits until nothing is left of an Installation, its own object and its status included.
async fn wait_gone(cluster: &ControlPlane) {
    let mut gone = vec![
        ("operator.tigera.io/v1", "Installation", None, "default"),
        ("v1", "Namespace", None, "calico-system"),
        ("operator.tigera.io/v1", "TigeraStatus", None, "calico"),
        ("operator.tigera.io/v1", "TigeraStatus", None, "ippools"),
    ];
    gone.extend(protected());
    for (api_version, kind, namespace, name) in gone {
        let client = cluster.client();
        let check = || async {
            let found = get(&client, api_version, kind, namespace, name).await?;
            Ok(found.is_none().then_some(()))
        };
        cluster.wait_for(&format!("{kind} {name} to be gone"), DEADLINE, check).await.unwrap();
    }
}

async fn install(cluster: &ControlPlane) {
    cluster.apply_yaml(DEFAULT).await.unwrap();
    wait_available(cluster).await.unwrap();
}

#[tokio::test]
async fn the_cni_plugins_account_outlives_kube_controllers_and_nothing_is_stuck_and_all_of_it_can_be_made_again() {
    let cluster = cluster::with_crds(2).await.unwrap();
    cluster.apply_yaml(USERS).await.unwrap();
    let before = versions(&cluster).await;
    let operator = Operator::start(&cluster, &[]).unwrap();
    install(&cluster).await;

    // A pod that takes its time to end: as if its node were slow.
    let pod = kube_controllers(&cluster).await;
    hold_pod(&cluster, &pod, json!(["example.com/slow"])).await;
    delete(&cluster, DeleteParams::background()).await;
    let waits = || async {
        let found = condition(&cluster.client(), "calico", "Progressing").await?;
        Ok(found.filter(|(status, reason, message)| {
            status == "True" && reason == "Removing" && message.contains(&pod) && !message.contains("csi-node-driver")
        }))
    };
    let (.., message) = cluster.wait_for("the removal to wait for the pod", DEADLINE, waits).await.unwrap();
    assert!(message.contains("on node node-"), "it names the node: {message}");
    for (api_version, kind, namespace, name) in protected() {
        let object = get(&cluster.client(), api_version, kind, namespace, name).await.unwrap();
        let object = object.unwrap_or_else(|| panic!("{kind} {name} went before the pod"));
        assert_eq!(object["metadata"]["finalizers"], json!(["tigera.io/cni-protector"]), "{kind} {name}");
        assert!(object["metadata"].get("deletionTimestamp").is_none(), "{kind} {name} is not even on its way");
    }
    let node = get(&cluster.client(), "apps/v1", "DaemonSet", Some("calico-system"), "calico-node").await.unwrap();
    assert!(node.is_some(), "the network itself goes last");

    hold_pod(&cluster, &pod, Value::Null).await;
    wait_gone(&cluster).await;
    assert_eq!(versions(&cluster).await, before, "the user's objects are as they were");
    let pool = get(&cluster.client(), "crd.projectcalico.org/v1", "IPPool", None, "meadow").await.unwrap();
    assert!(pool.is_some());

    install(&cluster).await;
    let object =
        get(&cluster.client(), "operator.tigera.io/v1", "Installation", None, "default").await.unwrap().unwrap();
    let managed = object["metadata"]["managedFields"].as_array().unwrap();
    let ours = managed.iter().filter(|entry| entry["manager"] == FIELD_MANAGER);
    assert!(
        ours.clone().count() > 0 && ours.clone().all(|entry| entry["fieldsV1"].get("f:spec").is_none()),
        "{object}"
    );
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn an_installation_deleted_while_the_operator_is_down_is_taken_down_when_it_is_back() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();
    install(&cluster).await;
    assert!(operator.stop().await.unwrap().success());

    // Foreground: Kubernetes deletes what the Installation owns at once and waits for the operator's finalizers.
    delete(&cluster, DeleteParams::foreground()).await;
    let leaving = || async {
        let object = get(&cluster.client(), "v1", "ServiceAccount", Some("calico-system"), "calico-node").await?;
        Ok(object.filter(|object| object["metadata"].get("deletionTimestamp").is_some()))
    };
    cluster.wait_for("the ServiceAccount to be deleted", DEADLINE, leaving).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();
    wait_gone(&cluster).await;

    // By force: the Installation is gone at once, and what protects the CNI plugin's account is left behind.
    install(&cluster).await;
    assert!(operator.stop().await.unwrap().success());
    delete(&cluster, DeleteParams::background()).await;
    force(&cluster).await;
    cluster.wait_for("the ServiceAccount to be deleted", DEADLINE, leaving).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();
    wait_gone(&cluster).await;
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_deletion_that_orphans_leaves_everything_running() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();
    install(&cluster).await;
    delete(
        &cluster,
        DeleteParams { propagation_policy: Some(kube::api::PropagationPolicy::Orphan), ..DeleteParams::default() },
    )
    .await;
    let gone = || async {
        let found = get(&cluster.client(), "operator.tigera.io/v1", "TigeraStatus", None, "calico").await?;
        Ok(found.is_none().then_some(()))
    };
    cluster.wait_for("the Installation and its status to be gone", DEADLINE, gone).await.unwrap();
    for (api_version, kind, namespace, name) in protected() {
        let object = get(&cluster.client(), api_version, kind, namespace, name).await.unwrap();
        assert!(object.is_some(), "{kind} {name} stays");
    }
    for (kind, name) in [("DaemonSet", "calico-node"), ("Deployment", "calico-kube-controllers")] {
        let object = get(&cluster.client(), "apps/v1", kind, Some("calico-system"), name).await.unwrap();
        assert!(
            object.is_some_and(|object| object["metadata"].get("deletionTimestamp").is_none()),
            "{kind} {name} stays"
        );
    }
    let audit = cluster.audit().await.unwrap().writes_by(OPERATOR_USER);
    assert!(audit.iter().all(|event| event.verb != "delete" || event.resource == "tigerastatuses"), "{audit:#?}");
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}
