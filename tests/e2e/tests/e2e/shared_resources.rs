//! FelixConfiguration and BGPConfiguration are the user's as well: what the operator set is recorded, the rest is left.

use chimera_e2e::cluster::{self, DEADLINE, get, wait_available, wait_condition};
use chimera_e2e::operator::Operator;
use chimera_e2e::{OPERATOR_USER, compare};
use chimera_kit::ControlPlane;
use serde_json::{Value, json};

const CALICO: &str = "crd.projectcalico.org/v1";
const RECORD: &str = "operator.tigera.io/programClusterRoutes";

const USERS: &str = "
{apiVersion: crd.projectcalico.org/v1, kind: FelixConfiguration, metadata: {name: default},
 spec: {logSeverityScreen: Debug, vxlanPort: 4799, healthPort: 9199}}
---
{apiVersion: crd.projectcalico.org/v1, kind: BGPConfiguration, metadata: {name: default}, spec: {asNumber: 64512}}
";

async fn state(cluster: &ControlPlane, mode: &str) {
    let network = format!("{{bgp: Disabled, ipPools: [{{cidr: 10.244.0.0/16, encapsulation: VXLAN}}]{mode}}}");
    let yaml = format!(
        "{{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {{name: default}}, spec: {{calicoNetwork: {network}}}}}"
    );
    cluster.apply_yaml(&yaml).await.unwrap();
}

async fn shared(cluster: &ControlPlane, kind: &str) -> Value {
    get(&cluster.client(), CALICO, kind, None, "default").await.unwrap().unwrap()
}

/// Waits until both resources say who programs routes (null: they do not say), and are recorded to say so.
async fn wait_routes(cluster: &ControlPlane, felix: Value, bgp: Value) {
    let says = || async {
        let mut said = Vec::new();
        for kind in ["FelixConfiguration", "BGPConfiguration"] {
            let object = get(&cluster.client(), CALICO, kind, None, "default").await?.unwrap_or_default();
            said.push([
                object["spec"]["programClusterRoutes"].clone(),
                object["metadata"]["annotations"][RECORD].clone(),
            ]);
        }
        Ok((said == [[felix.clone(), felix.clone()], [bgp.clone(), bgp.clone()]]).then_some(()))
    };
    cluster.wait_for(&format!("routes by Felix {felix} and BIRD {bgp}"), DEADLINE, says).await.unwrap();
}

#[tokio::test]
async fn the_operator_sets_its_fields_beside_the_users_and_names_the_field_that_contradicts() {
    let cluster = cluster::with_crds(1).await.unwrap();
    cluster.apply_yaml(USERS).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();

    // What the user set stays, as the Go operator leaves it; BGPConfiguration is none of the operator's business yet.
    let bgp = shared(&cluster, "BGPConfiguration").await;
    state(&cluster, "").await;
    wait_available(&cluster).await.unwrap();
    let felix = shared(&cluster, "FelixConfiguration").await;
    if let Some(goldens) = compare::goldens() {
        let differences = compare::differences(&goldens, "user-felix-config", std::slice::from_ref(&felix)).unwrap();
        let felix: Vec<_> = differences.lines().filter(|line| line.contains("/FelixConfiguration/")).collect();
        assert!(felix.is_empty(), "{felix:#?}");
    }
    for (field, want) in [("vxlanPort", json!(4799)), ("healthPort", json!(9199)), ("nftablesMode", json!("Disabled"))]
    {
        assert_eq!(felix["spec"][field], want, "{field}");
    }
    assert_eq!(shared(&cluster, "BGPConfiguration").await, bgp);

    // The mode goes to both, follows, and goes again; the user's fields beside it stay.
    state(&cluster, ", clusterRoutingMode: Felix").await;
    wait_routes(&cluster, json!("Enabled"), json!("Disabled")).await;
    state(&cluster, ", clusterRoutingMode: FelixIPIPOnly").await;
    wait_routes(&cluster, json!("EnabledIPIPOnly"), json!("EnabledNoEncapOnly")).await;
    state(&cluster, "").await;
    wait_routes(&cluster, Value::Null, Value::Null).await;
    assert_eq!(shared(&cluster, "BGPConfiguration").await["spec"], bgp["spec"]);

    // The user's own value that contradicts is an error that names it, and is not overwritten; taking it out recovers.
    let by_hand = "{apiVersion: crd.projectcalico.org/v1, kind: BGPConfiguration, metadata: {name: default}, \
                   spec: {asNumber: 64512, programClusterRoutes: Enabled}}";
    cluster.apply_yaml(by_hand).await.unwrap();
    state(&cluster, ", clusterRoutingMode: Felix").await;
    let (reason, message) = wait_condition(&cluster, "calico", "Degraded").await.unwrap();
    assert_eq!(reason, "InvalidConfigurationError");
    let start = "BGPConfiguration default spec.programClusterRoutes: it is Enabled, but Installation default \
                 spec.calicoNetwork.clusterRoutingMode asks for Disabled";
    assert!(message.contains(start), "{message}");
    assert_eq!(shared(&cluster, "BGPConfiguration").await["spec"]["programClusterRoutes"], "Enabled");
    cluster.apply_yaml(&by_hand.replace(", programClusterRoutes: Enabled", "")).await.unwrap();
    wait_routes(&cluster, json!("Enabled"), json!("Disabled")).await;
    wait_available(&cluster).await.unwrap();
    let refused = cluster.audit().await.unwrap().writes_by(OPERATOR_USER).filter(|event| event.code == 422);
    assert!(refused.is_empty(), "{refused:#?}");
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}
