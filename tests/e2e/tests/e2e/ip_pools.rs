//! Pools: which there are, whose fields they keep, and that none is taken from under pods.

use chimera_e2e::cluster::{self, DEADLINE, condition, get, wait_available, wait_condition};
use chimera_e2e::operator::Operator;
use chimera_kit::ControlPlane;
use kube::Api;
use kube::api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams};
use serde_json::{Value, json};

const POOL: &str = "crd.projectcalico.org/v1";

fn api(cluster: &ControlPlane, kind: &str) -> Api<DynamicObject> {
    Api::all_with(cluster.client(), &ApiResource::from_gvk(&GroupVersionKind::gvk("crd.projectcalico.org", "v1", kind)))
}

async fn pools(cluster: &ControlPlane) -> Vec<String> {
    let found = api(cluster, "IPPool").list(&ListParams::default()).await.unwrap();
    found.items.into_iter().map(|pool| pool.metadata.name.unwrap()).collect()
}

async fn wait_pools(cluster: &ControlPlane, want: &[&str]) {
    let check = || async { Ok((pools(cluster).await == want).then_some(())) };
    cluster.wait_for(&format!("the pools to be {want:?}"), DEADLINE, check).await.unwrap();
}

async fn spec(cluster: &ControlPlane, name: &str) -> Value {
    get(&cluster.client(), POOL, "IPPool", None, name).await.unwrap().unwrap()["spec"].clone()
}

async fn state(cluster: &ControlPlane, pools: &str) {
    let yaml = format!(
        "{{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {{name: default}}, spec: {{calicoNetwork: {{{pools}}}}}}}"
    );
    cluster.apply_yaml(&yaml).await.unwrap();
}

/// Waits until the status of the pools says something, whatever the condition.
async fn wait_told(cluster: &ControlPlane, kind: &str, text: &str) -> String {
    let told = || async {
        let found = condition(&cluster.client(), "ippools", kind).await?;
        Ok(found.map(|(.., message)| message).filter(|message| message.contains(text)))
    };
    cluster.wait_for(&format!("TigeraStatus ippools {kind} to say {text:?}"), DEADLINE, told).await.unwrap()
}

const KUBEADM: &str = "
apiVersion: v1
kind: ConfigMap
metadata: {name: kubeadm-config, namespace: kube-system}
data: {ClusterConfiguration: \"networking: {podSubnet: 10.42.0.0/16}\"}
";

fn block(cidr: &str) -> String {
    format!(
        "{{apiVersion: crd.projectcalico.org/v1, kind: IPAMBlock, metadata: {{name: in-use}}, spec: {{cidr: {cidr}, \
         affinity: 'host:node-1', allocations: [0, null], attributes: [{{}}], strictAffinity: false, unallocated: [1]}}}}"
    )
}

#[tokio::test]
async fn pools_are_defaulted_adopted_kept_while_in_use_and_never_touched_beyond_what_is_stated() {
    let cluster = cluster::with_crds(1).await.unwrap();
    cluster.apply_yaml(KUBEADM).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();

    // Unset: one pool of the platform's range. What somebody changes in it stays.
    state(&cluster, "").await;
    wait_available(&cluster).await.unwrap();
    wait_pools(&cluster, &["default-ipv4-ippool"]).await;
    assert_eq!(spec(&cluster, "default-ipv4-ippool").await["cidr"], "10.42.0.0/16");
    let by_hand = "{apiVersion: crd.projectcalico.org/v1, kind: IPPool, metadata: {name: default-ipv4-ippool}, \
                   spec: {cidr: 10.42.0.0/16, natOutgoing: false, nodeSelector: \"has(herd)\"}}";
    cluster.apply_yaml(by_hand).await.unwrap();

    // In use, and no longer listed: it stays and is named; what takes none of its addresses comes.
    cluster.apply_yaml(&block("10.42.7.0/26")).await.unwrap();
    let list = "ipPools: [{name: apart, cidr: \"2001:cafe:42::00/56\"}, {name: wide, cidr: 10.0.0.0/8}]";
    state(&cluster, list).await;
    wait_pools(&cluster, &["apart", "default-ipv4-ippool"]).await;
    assert_eq!(spec(&cluster, "apart").await["cidr"], "2001:cafe:42::/56", "it is written in its canonical form");
    let (reason, message) = wait_condition(&cluster, "ippools", "Degraded").await.unwrap();
    assert_eq!(reason, "IPPoolInUse");
    assert!(
        message.contains("IPPool wide spec.cidr: 10.0.0.0/8 overlaps 10.42.0.0/16 of IPPool default-ipv4-ippool"),
        "{message}"
    );
    let left = spec(&cluster, "default-ipv4-ippool").await;
    assert_eq!(
        (&left["natOutgoing"], &left["nodeSelector"]),
        (&json!(false), &json!("has(herd)")),
        "by hand, and kept"
    );

    // None at all: the one in use still stays, with a warning that names it.
    state(&cluster, "ipPools: []").await;
    wait_pools(&cluster, &["default-ipv4-ippool"]).await;
    let message = wait_told(&cluster, "Available", "1 of its addresses are in use").await;
    assert!(message.contains("IPPool default-ipv4-ippool") && message.contains("10.42.7.0/26"), "{message}");
    api(&cluster, "IPAMBlock").delete("in-use", &DeleteParams::default()).await.unwrap();
    wait_pools(&cluster, &[]).await;

    // A pool made by hand that matches is adopted as it is; one that does not is none of the operator's business.
    let hand_made = "{apiVersion: crd.projectcalico.org/v1, kind: IPPool, metadata: {name: meadow}, spec: {cidr: 10.42.0.0/17, \
                     blockSize: 24, natOutgoing: false, vxlanMode: CrossSubnet, ipipMode: Never}}";
    cluster.apply_yaml(hand_made).await.unwrap();
    cluster.apply_yaml(&hand_made.replace("meadow", "herd").replace("10.42.0.0/17", "10.77.0.0/16")).await.unwrap();
    let herd = get(&cluster.client(), POOL, "IPPool", None, "herd").await.unwrap().unwrap();
    state(&cluster, "ipPools: [{cidr: 10.42.5.0/17}, {cidr: 172.30.0.0/16}]").await;
    wait_pools(&cluster, &["default-ipv4-ippool", "herd", "meadow"]).await;
    let adopted = || async {
        let pool = get(&cluster.client(), POOL, "IPPool", None, "meadow").await?;
        Ok(pool.filter(|pool| pool["metadata"]["labels"]["app.kubernetes.io/managed-by"] == "tigera-operator"))
    };
    let pool = cluster.wait_for("the pool made by hand to be adopted", DEADLINE, adopted).await.unwrap();
    for (field, want) in [("blockSize", json!(24)), ("natOutgoing", json!(false)), ("vxlanMode", json!("CrossSubnet"))]
    {
        assert_eq!(pool["spec"][field], want, "{field}");
    }
    assert_eq!(get(&cluster.client(), POOL, "IPPool", None, "herd").await.unwrap().unwrap(), herd);

    // Outside what the platform says pods have: told, and everything else runs.
    let message = wait_told(&cluster, "Available", "172.30.0.0/16").await;
    assert!(message.contains("is not within the cluster's pod CIDR 10.42.0.0/16"), "{message}");
    wait_available(&cluster).await.unwrap();
    assert_eq!(spec(&cluster, "default-ipv4-ippool").await["cidr"], "172.30.0.0/16");
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}
