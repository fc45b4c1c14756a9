//! Start, wait, lead, stop.

use chimera_e2e::cluster::{self, DEADLINE, get, wait_available};
use chimera_e2e::operator::Operator;
use chimera_kit::ControlPlane;

const DEFAULT: &str = "{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {name: default}, spec: {}}";

async fn logged(cluster: &ControlPlane, operator: &Operator, text: &str) {
    let what = format!("the operator to log {text:?}");
    cluster
        .wait_for(&what, DEADLINE, || async { Ok(operator.log().contains(text).then_some(())) })
        .await
        .unwrap_or_else(|error| panic!("{error:#}\n{}", operator.log()));
}

#[tokio::test]
async fn without_its_crds_the_operator_waits_saying_which_and_with_them_it_goes_on() {
    let cluster = ControlPlane::builder().nodes(1).start().await.unwrap();
    cluster.apply_yaml("{apiVersion: v1, kind: Namespace, metadata: {name: tigera-operator}}").await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();
    logged(&cluster, &operator, "installations.operator.tigera.io").await;
    assert!(operator.log().contains("--manage-crds"), "the message says what to do:\n{}", operator.log());
    assert!(operator.stop().await.unwrap().success());

    // A new one that may install them does, and works.
    let operator = Operator::start(&cluster, &["--manage-crds"]).unwrap();
    let applied = || async { Ok(cluster.apply_yaml(DEFAULT).await.ok().map(drop)) };
    cluster.wait_for("the Installation to be accepted", DEADLINE, applied).await.unwrap();
    wait_available(&cluster).await.unwrap();
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_second_operator_waits_for_the_lease_and_takes_over_when_the_first_stops() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let first = Operator::start(&cluster, &[]).unwrap();
    logged(&cluster, &first, "leading").await;
    let second = Operator::start(&cluster, &[]).unwrap();
    logged(&cluster, &second, "another process holds the lease").await;
    assert!(!second.log().contains("leading"), "{}", second.log());

    let first_name = format!("_{}", first.pid());
    assert!(first.stop().await.unwrap().success());
    // Given back, not left behind to expire: whoever holds it now, it is not the first.
    let lease =
        get(&cluster.client(), "coordination.k8s.io/v1", "Lease", Some("tigera-operator"), "operator-lock").await;
    let holder = lease.unwrap().unwrap()["spec"]["holderIdentity"].as_str().unwrap_or_default().to_owned();
    assert!(!holder.ends_with(&first_name), "{holder} still holds the lease");
    logged(&cluster, &second, "leading").await;
    assert!(second.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

/// Waits until it has ended by itself.
async fn ended(cluster: &ControlPlane, operator: &mut Operator) {
    let alive = std::cell::RefCell::new(operator);
    let end = || async { Ok((!alive.borrow_mut().alive()).then_some(())) };
    cluster.wait_for("the operator to end", DEADLINE, end).await.unwrap();
}

#[tokio::test]
async fn an_operator_that_cannot_go_on_says_why_before_it_takes_the_lease() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let client = cluster.client();
    let lease = async || {
        get(&client, "coordination.k8s.io/v1", "Lease", Some("tigera-operator"), "operator-lock").await.unwrap()
    };

    let mut operator = Operator::start(&cluster, &["--plugin-dir=/no/such/folder"]).unwrap();
    ended(&cluster, &mut operator).await;
    let log = operator.log();
    assert!(log.contains("--plugin-dir /no/such/folder: there is no such folder"), "{log}");
    assert_eq!(lease().await, None, "it never led");

    let mut operator = Operator::start(&cluster, &["--calico-api-group=wool"]).unwrap();
    ended(&cluster, &mut operator).await;
    let log = operator.log();
    assert!(log.contains("give crd.projectcalico.org/v1 or projectcalico.org/v3"), "{log}");
    assert_eq!(lease().await, None, "it never led");

    let mut operator = Operator::start(&cluster, &["--namespace=nowhere"]).unwrap();
    logged(&cluster, &operator, "create it with `kubectl create namespace nowhere`").await;
    assert!(!operator.log().contains("Status {"), "{}", operator.log());
    assert!(operator.alive());
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}
