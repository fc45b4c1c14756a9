//! What users get wrong is named, field by field, and the rest keeps running.

use chimera_e2e::cluster::{self, DEADLINE, condition, get, wait_available, wait_condition};
use chimera_e2e::operator::Operator;
use chimera_kit::ControlPlane;

const DEFAULT: &str = "{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {name: default}, spec: {}}";

fn installation(spec: &str) -> String {
    format!("{{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {{name: default}}, spec: {spec}}}")
}

async fn refused(cluster: &ControlPlane, yaml: &str) -> String {
    match cluster.apply_yaml(yaml).await {
        Ok(_) => panic!("the API server took {yaml}"),
        Err(error) => format!("{error:#}"),
    }
}

#[tokio::test]
async fn bad_input_is_named_with_resource_and_field_and_its_correction_recovers() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();

    let message = refused(&cluster, &DEFAULT.replace("name: default", "name: other")).await;
    assert!(message.contains("default"), "an Installation has one name: {message}");
    let message = refused(&cluster, &installation("{calicoNetwork: {bgp: Perhaps}}")).await;
    assert!(message.contains("spec.calicoNetwork.bgp") && message.contains("Enabled"), "{message}");

    let bad = "{calicoNetwork: {ipPools: [{cidr: 192.168.0.0/33}]}}";
    match cluster.apply_yaml(&installation(bad)).await {
        // Where the schema refuses it, its message must name the field.
        Err(error) => assert!(format!("{error:#}").contains("cidr"), "{error:#}"),
        Ok(_) => {
            let (reason, message) = wait_condition(&cluster, "calico", "Degraded").await.unwrap();
            assert_eq!(reason, "InvalidConfigurationError");
            for part in ["Installation default", "spec.calicoNetwork.ipPools[0].cidr", "192.168.0.0/33", "CHM0"] {
                assert!(message.contains(part), "{part} is not in {message}");
            }
            let daemon_set = get(&cluster.client(), "apps/v1", "DaemonSet", Some("calico-system"), "calico-node").await;
            assert!(daemon_set.unwrap().is_none(), "nothing is rendered from bad input");
        }
    }

    cluster.apply_yaml(&installation("{variant: Nonesuch}")).await.unwrap();
    let named = || async {
        let found = condition(&cluster.client(), "calico", "Degraded").await?;
        Ok(found.filter(|(status, _, message)| status == "True" && message.contains("spec.variant")))
    };
    let (.., message) = cluster.wait_for("the unknown variant to be named", DEADLINE, named).await.unwrap();
    assert!(message.contains("Nonesuch") && message.contains("plugin"), "{message}");

    cluster.apply_yaml(&installation("{}")).await.unwrap();
    wait_available(&cluster).await.unwrap();
    let (status, ..) = condition(&cluster.client(), "calico", "Degraded").await.unwrap().unwrap();
    assert_eq!(status, "False", "recovery clears");
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}
