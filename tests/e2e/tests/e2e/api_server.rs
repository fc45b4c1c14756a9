//! Calico's API server comes, stops to answer, and goes; what depends on it follows and nothing else does.

use anyhow::Result;
use chimera_e2e::cluster::{self, DEADLINE, condition, get, wait_available, wait_condition};
use chimera_e2e::operator::Operator;
use chimera_kit::{Behaviour, ControlPlane};
use serde_json::Value;

const INSTALLATION: &str =
    "{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {name: default}, spec: {}}";
const API_SERVER: &str = "{apiVersion: operator.tigera.io/v1, kind: APIServer, metadata: {name: default}, spec: {}}";
const FOREIGN: &str = "{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v3.projectcalico.org}, spec: {group: projectcalico.org, version: v3, groupPriorityMinimum: 1000, versionPriority: 100, insecureSkipTLSVerify: true, service: {namespace: barn, name: sheep}}}";
const POLICY: &str = "projectcalico.org/v3";

/// An object, by API version, kind, namespace and name.
type Name<'a> = (&'a str, &'a str, Option<&'a str>, &'a str);

/// What goes with the APIServer.
const OWN: [Name<'_>; 4] = [
    ("apiregistration.k8s.io/v1", "APIService", None, "v3.projectcalico.org"),
    ("apps/v1", "Deployment", Some("calico-system"), "calico-apiserver"),
    ("rbac.authorization.k8s.io/v1", "RoleBinding", Some("kube-system"), "calico-apiserver-auth-reader"),
    ("operator.tigera.io/v1", "TigeraStatus", None, "apiserver"),
];

async fn there(cluster: &ControlPlane, (api_version, kind, namespace, name): Name<'_>, wanted: bool) {
    let client = cluster.client();
    let check = || async {
        let found = get(&client, api_version, kind, namespace, name).await?;
        Ok((found.is_some() == wanted).then_some(()))
    };
    let what = format!("{kind} {name} to be {}", if wanted { "there" } else { "gone" });
    cluster.wait_for(&what, DEADLINE, check).await.unwrap();
}

async fn delete(cluster: &ControlPlane, (api_version, kind, namespace, name): Name<'_>) {
    let live = get(&cluster.client(), api_version, kind, namespace, name).await.unwrap().unwrap();
    cluster::delete(&cluster.client(), &live).await.unwrap();
}

/// Waits until a TigeraStatus says this as it holds a condition.
async fn says(cluster: &ControlPlane, name: &str, kind: &str, words: &str) {
    let check = || async {
        let told = condition(&cluster.client(), name, kind).await?;
        Ok(told.filter(|(status, _, message)| status == "True" && message.contains(words)).map(drop))
    };
    cluster.wait_for(&format!("TigeraStatus {name} to be {kind}, saying {words:?}"), DEADLINE, check).await.unwrap();
}

async fn version(cluster: &ControlPlane, (api_version, kind, namespace, name): Name<'_>) -> Result<Value> {
    let live = get(&cluster.client(), api_version, kind, namespace, name).await?;
    Ok(live.unwrap_or_default()["metadata"]["resourceVersion"].take())
}

#[tokio::test]
async fn policies_and_tiers_follow_calicos_own_api_and_all_of_it_goes_with_its_resource() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();
    cluster.apply_yaml(INSTALLATION).await.unwrap();
    wait_available(&cluster).await.unwrap();
    // Nobody asked for Calico's own API, so nobody is told that it is missing.
    let tiers: Name<'_> = ("operator.tigera.io/v1", "TigeraStatus", None, "tiers");
    there(&cluster, tiers, false).await;

    // Somebody else's server is not pushed aside.
    cluster.apply_yaml(FOREIGN).await.unwrap();
    cluster.apply_yaml(API_SERVER).await.unwrap();
    says(&cluster, "apiserver", "Degraded", "Service barn/sheep").await;
    delete(&cluster, OWN[0]).await;
    for name in ["apiserver", "tiers"] {
        wait_condition(&cluster, name, "Available").await.unwrap();
    }
    let policies: [Name<'_>; 4] = [
        (POLICY, "NetworkPolicy", Some("calico-system"), "calico-system.default-deny"),
        (POLICY, "NetworkPolicy", Some("calico-system"), "calico-system.kube-controller-access"),
        (POLICY, "NetworkPolicy", Some("calico-system"), "calico-system.apiserver-access"),
        (POLICY, "NetworkPolicy", Some("kube-system"), "calico-system.cluster-dns"),
    ];
    for policy in policies {
        there(&cluster, policy, true).await;
    }

    // What does not answer any more holds nothing up but itself.
    let node: Name<'_> = ("apps/v1", "DaemonSet", Some("calico-system"), "calico-node");
    let before = version(&cluster, node).await.unwrap();
    cluster.backends().api(Behaviour::Refused);
    says(&cluster, "apiserver", "Progressing", "CHM0222").await;
    says(&cluster, "tiers", "Progressing", "CHM0221").await;
    assert_eq!(condition(&cluster.client(), "calico", "Available").await.unwrap().unwrap().0, "True");
    assert_eq!(version(&cluster, node).await.unwrap(), before);
    cluster.backends().api(Behaviour::Served);
    wait_condition(&cluster, "apiserver", "Available").await.unwrap();

    delete(&cluster, ("operator.tigera.io/v1", "APIServer", None, "default")).await;
    for own in OWN {
        there(&cluster, own, false).await;
    }
    there(&cluster, tiers, false).await;

    // An Installation goes with an API server still there.
    cluster.apply_yaml(API_SERVER).await.unwrap();
    wait_condition(&cluster, "apiserver", "Available").await.unwrap();
    delete(&cluster, ("operator.tigera.io/v1", "Installation", None, "default")).await;
    there(&cluster, ("v1", "Namespace", None, "calico-system"), false).await;
    says(&cluster, "apiserver", "Progressing", "CHM0202").await;
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}
