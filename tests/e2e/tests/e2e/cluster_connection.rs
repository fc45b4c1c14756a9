//! The connection to a managing cluster: what it waits for, what it makes, and that nothing of it is left behind.

use chimera_e2e::cluster::{self, DEADLINE, get, wait_available, wait_condition};
use chimera_e2e::operator::Operator;
use chimera_kit::ControlPlane;
use serde_json::{Value, json};

const STATUS: &str = "management-cluster-connection";
const OF_IT: [(&str, &str, Option<&str>, &str); 8] = [
    ("apps/v1", "Deployment", Some("calico-system"), "guardian"),
    ("v1", "Service", Some("calico-system"), "guardian"),
    ("v1", "ServiceAccount", Some("calico-system"), "guardian"),
    ("v1", "Secret", Some("calico-system"), "tigera-managed-cluster-connection"),
    ("v1", "Secret", Some("calico-system"), "guardian-key-pair"),
    ("rbac.authorization.k8s.io/v1", "ClusterRole", None, "calico-guardian"),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", None, "calico-guardian"),
    ("operator.tigera.io/v1", "TigeraStatus", None, STATUS),
];

/// Under a name that clusters have from before.
fn connection() -> Value {
    json!({"apiVersion": "operator.tigera.io/v1", "kind": "ManagementClusterConnection",
        "metadata": {"name": "tigera-secure"}, "spec": {"managementClusterAddr": "management.example.com:9449"}})
}

async fn wait_message(cluster: &ControlPlane, kind: &'static str, part: &'static str) {
    let check = || async {
        let found = cluster::condition(&cluster.client(), STATUS, kind).await?;
        Ok(found.filter(|(status, _, message)| status == "True" && message.contains(part)))
    };
    cluster.wait_for(&format!("{STATUS} to be {kind} with {part:?}"), DEADLINE, check).await.unwrap();
}

#[tokio::test]
async fn a_connection_says_what_it_waits_for_comes_up_and_leaves_nothing_behind() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();
    cluster.apply_yaml(&connection().to_string()).await.unwrap();
    wait_message(&cluster, "Progressing", "Installation default").await;

    let installation = "{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {name: default}, spec: {}}";
    cluster.apply_yaml(installation).await.unwrap();
    wait_available(&cluster).await.unwrap();
    wait_message(&cluster, "Degraded", "there is no Secret tigera-operator/tigera-managed-cluster-connection").await;

    let secret = "{apiVersion: v1, kind: Secret, metadata: {name: tigera-managed-cluster-connection, namespace: tigera-operator}, stringData: {managed-cluster.crt: wool}}";
    let original = cluster.apply_yaml(secret).await.unwrap().remove(0);
    wait_condition(&cluster, STATUS, "Available").await.unwrap();
    for (api_version, kind, namespace, name) in OF_IT {
        let found = get(&cluster.client(), api_version, kind, namespace, name).await.unwrap();
        assert!(found.is_some(), "{kind} {name} is missing");
    }
    let ready = || async {
        let (client, kind) = (cluster.client(), "ManagementClusterConnection");
        let live = get(&client, "operator.tigera.io/v1", kind, None, "tigera-secure").await?.unwrap_or_default();
        let all = live.pointer("/status/conditions").and_then(Value::as_array).cloned().unwrap_or_default();
        Ok(all.into_iter().find(|condition| condition["type"] == "Ready" && condition["status"] == "True").map(drop))
    };
    cluster.wait_for("the resource itself to be Ready", DEADLINE, ready).await.unwrap();

    cluster::delete(&cluster.client(), &connection()).await.unwrap();
    for (api_version, kind, namespace, name) in OF_IT {
        let gone = || async {
            let found = get(&cluster.client(), api_version, kind, namespace, name).await?;
            Ok(found.is_none().then_some(()))
        };
        cluster.wait_for(&format!("{kind} {name} to go"), DEADLINE, gone).await.unwrap();
    }
    let (client, name) = (cluster.client(), "tigera-managed-cluster-connection");
    let users = get(&client, "v1", "Secret", Some("tigera-operator"), name).await.unwrap().unwrap();
    assert_eq!(users["metadata"]["resourceVersion"], original["metadata"]["resourceVersion"]);
    wait_available(&cluster).await.unwrap();
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}
