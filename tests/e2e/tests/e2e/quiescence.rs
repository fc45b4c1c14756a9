//! A converged cluster stays as it is: the short form of `cargo xtask soak quiesce`.

use std::time::Duration;

use chimera_e2e::operator::Operator;
use chimera_e2e::quiesce::{self, Subject};
use chimera_e2e::{cluster, metrics, writes};
use chimera_kit::ControlPlane;
use serde_json::json;

/// Touches, and over how long they are spread; the long form has a thousand in ten minutes.
const TOUCHES: u32 = 200;
const SPAN: Duration = Duration::from_secs(24);
/// How long the operator is watched for not waking: several times as long as it waits for further changes.
const UNHEARD: Duration = Duration::from_secs(2);

async fn come_and_go(cluster: &ControlPlane, namespace: &str) {
    for round in 0..3 {
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "stringData": {"a": round.to_string()},
            "metadata": {"name": "unrelated", "namespace": namespace}});
        cluster.apply_yaml(&secret.to_string()).await.unwrap();
    }
    let secret = cluster::get(&cluster.client(), "v1", "Secret", Some(namespace), "unrelated").await.unwrap().unwrap();
    cluster::delete(&cluster.client(), &secret).await.unwrap();
}

#[tokio::test]
async fn two_hundred_reconciles_of_a_converged_cluster_write_nothing_and_foreign_secrets_cause_none() {
    let cluster = cluster::with_crds(2).await.unwrap();
    let address = metrics::free_address().unwrap();
    let operator = Operator::start(&cluster, &[&format!("--metrics-bind-address={address}")]).unwrap();
    let subject = Subject { cluster: &cluster, operator: &operator, metrics: address };
    subject.converge().await.unwrap();

    subject.rest(TOUCHES, SPAN).await.unwrap().assert_quiet(TOUCHES.into()).unwrap();

    // Secrets that are nobody's business come, change and go.
    let (before, writes) = (metrics::reconciles(address).await.unwrap(), writes::count(&cluster).await.unwrap());
    for namespace in ["tigera-operator", "calico-system"] {
        come_and_go(&cluster, namespace).await;
    }
    tokio::time::sleep(UNHEARD).await;
    assert_eq!(metrics::reconciles(address).await.unwrap(), before, "none of it wakes the operator");
    assert_eq!(writes::count(&cluster).await.unwrap(), writes);
    // One that is read does, so the watch was there all the time.
    quiesce::annotate(&cluster, "v1", "Secret", "tigera-operator", "typha-certs", "again").await.unwrap();
    let heard = || async { Ok((metrics::reconciles(address).await? > before).then_some(())) };
    cluster.wait_for("a reconcile", cluster::DEADLINE, heard).await.unwrap();

    // The same with everything that may follow from an Installation.
    subject.converge_with_all().await.unwrap();
    subject.rest(TOUCHES / 2, SPAN / 2).await.unwrap().assert_quiet(u64::from(TOUCHES / 2)).unwrap();
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}
