//! The user puts in an authority of their own while Calico runs.

use chimera_e2e::OPERATOR_USER;
use chimera_e2e::cluster::{self, DEADLINE};
use chimera_e2e::operator::Operator;
use chimera_kit::ControlPlane;
use serde_json::{Value, json};

const DEFAULT: &str = "{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {name: default}, spec: {}}";
const NEW: (&str, &str) = (include_str!("testdata/new-ca.crt"), include_str!("testdata/new-ca.key"));
const BUNDLE: (&str, &str) = ("ConfigMap", "tigera-ca-bundle");

#[tokio::test]
async fn a_new_authority_is_trusted_by_every_pod_before_it_signs_and_the_old_one_goes_last() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();
    cluster.apply_yaml(DEFAULT).await.unwrap();
    cluster::wait_available(&cluster).await.unwrap();
    let old = trusted(&cluster).await;

    replace_authority(&cluster).await;
    let done = || async {
        let (issuer, trusted) = (issuer(&cluster).await, trusted(&cluster).await);
        Ok((issuer == "meadow-signer" && trusted.trim() == NEW.0.trim()).then_some(()))
    };
    let waited = cluster.wait_for("the new authority to be the only one", DEADLINE, done).await;
    waited.unwrap_or_else(|error| panic!("{error:#}\n{}", operator.log()));
    cluster::wait_available(&cluster).await.unwrap();
    assert!(!trusted(&cluster).await.contains(old.trim()));

    // Bundle with both, pairs by the new one, bundle without the old one: in this order, and no step twice.
    let audit = cluster.audit().await.unwrap().writes_by(OPERATOR_USER);
    let steps: Vec<_> = audit
        .iter()
        .filter(|event| event.verb == "update" && event.namespace == "calico-system")
        .filter(|event| [BUNDLE.1, "typha-certs"].contains(&event.name.as_str()))
        .map(|event| event.name.as_str())
        .collect();
    assert_eq!(steps, [BUNDLE.1, "typha-certs", BUNDLE.1]);
    let kept = cluster::get(&cluster.client(), "v1", "Secret", Some("tigera-operator"), "tigera-ca-private").await;
    let kept = kept.unwrap().unwrap();
    assert!(
        kept.pointer("/metadata/ownerReferences").is_none(),
        "the user's Secret stays the user's: {}",
        kept["metadata"]
    );
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

/// As `kubectl replace` does: what the operator had noted on the Secret goes with its content.
async fn replace_authority(cluster: &ControlPlane) {
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": {"name": "tigera-ca-private"},
        "stringData": {"tls.crt": NEW.0, "tls.key": NEW.1}});
    let put = http::Request::put("/api/v1/namespaces/tigera-operator/secrets/tigera-ca-private");
    let put = put.header("Content-Type", "application/json").body(secret.to_string().into_bytes()).unwrap();
    cluster.client().request::<Value>(put).await.unwrap();
}

/// The bundle's certificates besides the system's roots.
async fn trusted(cluster: &ControlPlane) -> String {
    let found = cluster::get(&cluster.client(), "v1", BUNDLE.0, Some("calico-system"), BUNDLE.1).await.unwrap();
    found.unwrap()["data"]["tigera-ca-bundle.crt"].as_str().unwrap_or_default().to_owned()
}

/// Who issued the pair that Typha has.
async fn issuer(cluster: &ControlPlane) -> String {
    let found = cluster::get(&cluster.client(), "v1", "Secret", Some("calico-system"), "typha-certs").await.unwrap();
    let found = found.unwrap_or_default();
    let annotations = found.pointer("/metadata/annotations").cloned().unwrap_or_default();
    annotations["certificates.operator.tigera.io/issuer"].as_str().unwrap_or_default().to_owned()
}
