//! kube-proxy: off while BPF serves Services in its place, on again otherwise, and otherwise as its owner has it.

use chimera_e2e::cluster::{self, DEADLINE, delete, get, wait_available, wait_condition};
use chimera_e2e::operator::Operator;
use chimera_kit::ControlPlane;
use serde_json::{Value, json};

const LABEL: &str = "operator.tigera.io/disable-kube-proxy";
const DAEMON_SET: &str = "
{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: kube-proxy, namespace: kube-system}, spec: {
  selector: {matchLabels: {k8s-app: kube-proxy}}, template: {metadata: {labels: {k8s-app: kube-proxy}}, spec: {
    nodeSelector: {kubernetes.io/os: linux}, containers: [{name: kube-proxy, image: registry.example.com/kube-proxy}]}}}}
";

fn installation(network: &Value) -> Value {
    json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation", "metadata": {"name": "default"},
        "spec": {"calicoNetwork": network}})
}

async fn state(cluster: &ControlPlane, network: Value) {
    cluster.apply_yaml(&installation(&network).to_string()).await.unwrap();
}

async fn wait_selector(cluster: &ControlPlane, wanted: Value) {
    let is = || async {
        let live = get(&cluster.client(), "apps/v1", "DaemonSet", Some("kube-system"), "kube-proxy").await?;
        let selector = live.and_then(|live| live.pointer("/spec/template/spec/nodeSelector").cloned());
        Ok((selector.as_ref() == Some(&wanted)).then_some(()))
    };
    cluster.wait_for(&format!("kube-proxy's pods to want {wanted}"), DEADLINE, is).await.unwrap();
}

#[tokio::test]
async fn kube_proxy_goes_and_comes_with_the_dataplane_and_its_node_selector_stays_the_users() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();
    let users = json!({"kubernetes.io/os": "linux"});
    let off = json!({"kubernetes.io/os": "linux", LABEL: "true"});
    let bpf = |management: &str| json!({"linuxDataplane": "BPF", "bpfNetworkBootstrap": "Enabled", "kubeProxyManagement": management});
    state(&cluster, bpf("Enabled")).await;
    let (_, message) = wait_condition(&cluster, "calico", "Degraded").await.unwrap();
    assert!(
        message.starts_with("Installation default spec.calicoNetwork.kubeProxyManagement: there is no"),
        "{message}"
    );
    cluster.apply_yaml(DAEMON_SET).await.unwrap();
    wait_selector(&cluster, off.clone()).await;
    wait_available(&cluster).await.unwrap();

    state(&cluster, json!({"linuxDataplane": "Iptables", "kubeProxyManagement": "Enabled"})).await;
    wait_selector(&cluster, users.clone()).await;
    state(&cluster, bpf("Enabled")).await;
    wait_selector(&cluster, off.clone()).await;
    // Whoever turns the management off has it as it was.
    state(&cluster, bpf("Disabled")).await;
    wait_selector(&cluster, users.clone()).await;

    state(&cluster, bpf("Enabled")).await;
    wait_selector(&cluster, off).await;
    delete(&cluster.client(), &installation(&json!({}))).await.unwrap();
    wait_selector(&cluster, users).await;
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}
