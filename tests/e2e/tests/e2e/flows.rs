//! Goldmane and Whisker: installed with Calico, without one another, and taken away again.

use std::time::Duration;

use chimera_e2e::OPERATOR_USER;
use chimera_e2e::cluster::{self, DEADLINE, condition, get, wait_available, wait_condition};
use chimera_e2e::operator::Operator;
use chimera_e2e::writes;
use chimera_kit::ControlPlane;
use serde_json::{Value, json};

const INSTALLATION: &str =
    "{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {name: default}, spec: {}}";
const OF_GOLDMANE: [(&str, &str, &str); 7] = [
    ("apps/v1", "Deployment", "goldmane"),
    ("v1", "Service", "goldmane"),
    ("v1", "ServiceAccount", "goldmane"),
    ("v1", "ConfigMap", "goldmane"),
    ("v1", "ConfigMap", "goldmane-ca-bundle"),
    ("v1", "Secret", "goldmane-key-pair"),
    ("rbac.authorization.k8s.io/v1", "Role", "goldmane"),
];
const OF_WHISKER: [(&str, &str, &str); 7] = [
    ("apps/v1", "Deployment", "whisker"),
    ("v1", "Service", "whisker"),
    ("v1", "ServiceAccount", "whisker"),
    ("v1", "ConfigMap", "whisker-nginx-config"),
    ("v1", "ConfigMap", "whisker-ca-bundle"),
    ("v1", "Secret", "whisker-key-pair"),
    ("v1", "Secret", "whisker-backend-key-pair"),
];

fn resource(kind: &str) -> Value {
    json!({"apiVersion": "operator.tigera.io/v1", "kind": kind, "metadata": {"name": "default"}})
}

async fn apply(cluster: &ControlPlane, kind: &str) {
    cluster.apply_yaml(&resource(kind).to_string()).await.unwrap();
}

async fn delete(cluster: &ControlPlane, kind: &str) {
    let live = get(&cluster.client(), "operator.tigera.io/v1", kind, None, "default").await.unwrap().unwrap();
    cluster::delete(&cluster.client(), &live).await.unwrap();
}

async fn own(cluster: &ControlPlane, (api_version, kind, name): (&str, &str, &str)) -> Option<Value> {
    get(&cluster.client(), api_version, kind, Some("calico-system"), name).await.unwrap()
}

async fn wait_gone(cluster: &ControlPlane, status: &str, objects: &[(&str, &str, &str)]) {
    let client = cluster.client();
    for (api_version, kind, name) in objects {
        let gone = || async {
            let live = get(&client, api_version, kind, Some("calico-system"), name).await?;
            Ok(live.is_none().then_some(()))
        };
        cluster.wait_for(&format!("{kind} {name} to go"), DEADLINE, gone).await.unwrap();
    }
    let gone = || async { Ok(condition(&client, status, "Available").await?.is_none().then_some(())) };
    cluster.wait_for(&format!("TigeraStatus {status} to go"), DEADLINE, gone).await.unwrap();
}

/// The address under which calico-node knows Goldmane.
async fn alias(cluster: &ControlPlane) -> Option<String> {
    let node = own(cluster, ("apps/v1", "DaemonSet", "calico-node")).await.unwrap();
    let alias = node.pointer("/spec/template/spec/hostAliases/0/ip").and_then(Value::as_str).map(Into::into);
    let sends = node.pointer("/spec/template/spec/containers/0/env").unwrap().to_string().contains("FLOWLOGSGOLDMANE");
    assert_eq!(sends, alias.is_some(), "the name is of no use without the address");
    alias
}

async fn address(cluster: &ControlPlane) -> Option<String> {
    let service = own(cluster, ("v1", "Service", "goldmane")).await?;
    service.pointer("/spec/clusterIP").and_then(Value::as_str).map(Into::into)
}

/// How often the operator wrote calico-node's DaemonSet.
async fn node_writes(cluster: &ControlPlane) -> usize {
    let log = cluster.audit().await.unwrap().writes_by(OPERATOR_USER);
    log.iter().filter(|event| event.resource == "daemonsets" && event.name == "calico-node").count()
}

#[tokio::test]
async fn flows_come_up_with_calico_in_one_go_and_go_one_after_the_other() {
    let cluster = cluster::with_crds(2).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();
    for kind in ["Whisker", "Goldmane"] {
        apply(&cluster, kind).await;
    }
    wait_condition(&cluster, "goldmane", "Progressing").await.unwrap();
    assert!(
        own(&cluster, ("apps/v1", "Deployment", "goldmane")).await.is_none(),
        "nothing runs without an Installation"
    );
    cluster.apply_yaml(INSTALLATION).await.unwrap();
    for name in ["goldmane", "whisker"] {
        wait_condition(&cluster, name, "Available").await.unwrap();
    }
    wait_available(&cluster).await.unwrap();
    assert!(address(&cluster).await.is_some());
    assert_eq!(alias(&cluster).await, address(&cluster).await);
    assert_eq!(node_writes(&cluster).await, 1, "calico-node is started once, with all that it needs");
    shows_what_calico_says(&cluster).await;
    assert!(operator.stop().await.unwrap().success());
    let operator = Operator::start(&cluster, &[]).unwrap();
    writes::quiet(&cluster, "the operator to have started again", Duration::from_secs(3)).await.unwrap();
    assert_eq!(node_writes(&cluster).await, 1, "a restart of the operator restarts no node");

    delete(&cluster, "Goldmane").await;
    wait_gone(&cluster, "goldmane", &OF_GOLDMANE).await;
    let (reason, message) = wait_condition(&cluster, "whisker", "Degraded").await.unwrap();
    assert_eq!(reason, "ResourceNotFound");
    assert!(message.contains("there is no Goldmane `default`"), "{message}");
    for object in OF_WHISKER {
        assert!(own(&cluster, object).await.is_some(), "{object:?} stays as it is");
    }
    wait_available(&cluster).await.unwrap();
    assert_eq!(alias(&cluster).await, None);

    let before = node_writes(&cluster).await;
    apply(&cluster, "Goldmane").await;
    wait_condition(&cluster, "whisker", "Available").await.unwrap();
    let known = || async { Ok(alias(&cluster).await) };
    let known = cluster.wait_for("calico-node to know Goldmane", DEADLINE, known).await.unwrap();
    assert_eq!(Some(known), address(&cluster).await);
    assert_eq!(node_writes(&cluster).await, before + 1, "its pods restart once");

    delete(&cluster, "Whisker").await;
    wait_gone(&cluster, "whisker", &OF_WHISKER).await;
    for object in OF_GOLDMANE {
        assert!(own(&cluster, object).await.is_some(), "{object:?} is not Whisker's");
    }
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

async fn shows_what_calico_says(cluster: &ControlPlane) {
    let information = json!({"apiVersion": "crd.projectcalico.org/v1", "kind": "ClusterInformation",
        "metadata": {"name": "default"}, "spec": {"clusterGUID": "meadow", "calicoVersion": "v9"}});
    cluster.apply_yaml(&information.to_string()).await.unwrap();
    let shown = || async {
        let live = get(&cluster.client(), "apps/v1", "Deployment", Some("calico-system"), "whisker").await?;
        let env = live.as_ref().and_then(|live| live.pointer("/spec/template/spec/containers/0/env").cloned());
        Ok(env.filter(|env| env.to_string().contains("meadow")))
    };
    let env = cluster.wait_for("the console to show the cluster's identity", DEADLINE, shown).await.unwrap();
    assert_eq!(env[1], json!({"name": "CALICO_VERSION", "value": "v9"}));
}
