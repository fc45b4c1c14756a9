//! An operator in another namespace has a lease of its own, so the lease does not keep the two apart.

use chimera_e2e::cluster::{self, DEADLINE, wait_available};
use chimera_e2e::operator::Operator;
use chimera_e2e::writes;

const DEFAULT: &str = "{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {name: default}, spec: {}}";
const MARK: &str = "
{apiVersion: v1, kind: Namespace, metadata: {name: calico-system}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: active-operator, namespace: calico-system}
data: {active-namespace: somewhere-else}
";

#[tokio::test]
async fn nothing_is_written_while_an_operator_of_another_namespace_serves_the_cluster() {
    let cluster = cluster::with_crds(1).await.unwrap();
    cluster.apply_yaml(MARK).await.unwrap();
    cluster.apply_yaml(DEFAULT).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();
    let told = || async { Ok(operator.log().contains("somewhere-else").then_some(())) };
    cluster.wait_for("the operator to say whom it waits for", DEADLINE, told).await.unwrap();
    assert!(operator.log().contains("CHM0004"), "{}", operator.log());
    assert_eq!(writes::count(&cluster).await.unwrap(), 0);

    cluster.apply_yaml(&MARK.replace("somewhere-else", "''")).await.unwrap();
    wait_available(&cluster).await.unwrap();
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}
