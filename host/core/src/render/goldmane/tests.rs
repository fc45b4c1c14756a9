//! What follows from single fields.

use chimera_crds::parse;
use serde_json::{Value, json};

use super::*;
use crate::installation::InstallationInputs;
use crate::object::Object;
use crate::testing::Fixed;

fn config(installation: Value, goldmane: Value, is_managed: bool) -> GoldmaneConfig {
    let installation = json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation",
        "metadata": {"name": "default"}, "spec": installation});
    let goldmane = json!({"apiVersion": "operator.tigera.io/v1", "kind": "Goldmane",
        "metadata": {"name": "default"}, "spec": goldmane});
    let (fixed, objects) = (Fixed::default(), vec![Object::from_value(installation).unwrap()]);
    let mut inputs = InstallationInputs::from_objects(objects).unwrap();
    inputs.cluster_domain = "farm.example".into();
    let installation = crate::installation::validate(&inputs, fixed.env()).unwrap();
    crate::goldmane::validate(&parse::resource(goldmane).unwrap(), installation, &inputs, is_managed, fixed.env())
        .unwrap()
}

fn of<'a>(component: &'a Component, kind: &str, name: &str) -> Option<&'a Object> {
    component.objects().iter().find(|object| object.key().kind == kind && object.key().name == name)
}

fn variable(component: &Component, name: &str) -> Option<String> {
    let env = of(component, "Deployment", GOLDMANE)?.pointer("/spec/template/spec/containers/0/env")?.as_array()?;
    let variable = env.iter().find(|variable| variable["name"] == name)?;
    variable["value"].as_str().map(Into::into)
}

#[test]
fn flows_are_passed_on_where_the_cluster_is_managed() {
    for is_managed in [false, true] {
        let config = config(json!({}), json!({}), is_managed);
        let component = component(&config).unwrap();
        let file = of(&component, "ConfigMap", GOLDMANE).unwrap().pointer("/data/config.json").unwrap();
        assert_eq!(serde_json::from_str::<Value>(file.as_str().unwrap()).unwrap(), json!({"emitFlows": is_managed}));
        let policy = policy(&config).unwrap();
        let egress = policy.objects()[0].pointer("/spec/egress").unwrap().to_string();
        assert_eq!(egress.contains("guardian"), is_managed, "{egress}");
    }
}

#[test]
fn the_tunnel_is_reached_by_the_clusters_own_domain() {
    let component = component(&config(json!({}), json!({}), true)).unwrap();
    let url = "https://guardian.calico-system.svc.farm.example:443/api/v1/flows/bulk";
    assert_eq!(variable(&component, "PUSH_URL").as_deref(), Some(url));
}

#[test]
fn metrics_are_served_only_on_a_port_that_is_asked_for() {
    let with = config(json!({}), json!({"metricsPort": 9100}), false);
    let component = component(&with).unwrap();
    assert_eq!(variable(&component, "PROMETHEUS_PORT").as_deref(), Some("9100"));
    assert_eq!(of(&component, "Service", GOLDMANE_METRICS).unwrap().pointer("/spec/clusterIP"), Some(&json!("None")));
    let open = policy(&with).unwrap().objects()[0].pointer("/spec/ingress/1/destination/ports/0").cloned();
    assert_eq!(open, Some(json!(9100)));
    for without in [json!({}), json!({"metricsPort": 0})] {
        let component = super::component(&config(json!({}), without, false)).unwrap();
        assert_eq!(variable(&component, "PROMETHEUS_PORT"), None);
        assert!(component.deletions().iter().any(|key| key.name == GOLDMANE_METRICS));
    }
}

#[test]
fn its_pod_requests_its_certificate_where_the_user_has_a_signer() {
    let signer = json!({"certificateManagement": {"signerName": "example.com/barn", "caCert": ""}});
    let ca = include_str!("../../certificates/testdata/rsa-ca.crt");
    let mut signer = signer;
    signer["certificateManagement"]["caCert"] =
        serde_json::to_value(k8s_openapi::ByteString(ca.as_bytes().to_vec())).unwrap();
    let component = component(&config(signer, json!({}), false)).unwrap();
    let pod = of(&component, "Deployment", GOLDMANE).unwrap().pointer("/spec/template/spec").unwrap();
    assert_eq!(pod["initContainers"][0]["name"], "goldmane-key-pair-key-cert-provisioner");
    let env = pod["initContainers"][0]["env"].as_array().unwrap();
    let names = env.iter().find(|variable| variable["name"] == "DNS_NAMES").unwrap();
    assert!(names["value"].as_str().unwrap().contains("goldmane.calico-system.svc"), "{names}");
    assert!(of(&component, "ClusterRoleBinding", "goldmane:csr-creator").is_some());
    assert!(of(&component, "Secret", "goldmane-key-pair").is_none());
}
