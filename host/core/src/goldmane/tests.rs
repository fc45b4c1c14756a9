//! Goldmane's config, and what nodes know of it.

use chimera_crds::parse;
use serde_json::json;

use super::*;
use crate::object::Object;
use crate::testing::Fixed;

fn inputs(objects: &[Value]) -> InstallationInputs {
    let installation = json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation",
        "metadata": {"name": "default"}, "spec": {}});
    let objects = std::iter::once(installation).chain(objects.iter().cloned());
    InstallationInputs::from_objects(objects.map(|object| Object::from_value(object).unwrap()).collect()).unwrap()
}

fn goldmane() -> Value {
    json!({"apiVersion": "operator.tigera.io/v1", "kind": "Goldmane", "metadata": {"name": "default", "uid": "u"}})
}

fn service() -> Value {
    json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "goldmane", "namespace": "calico-system"},
        "spec": {"clusterIP": "fd00::7", "clusterIPs": ["fd00::7", "10.0.0.7"]}})
}

fn known(objects: &[Value]) -> Option<Collector> {
    crate::installation::validate(&inputs(objects), Fixed::default().env()).unwrap().goldmane
}

#[test]
fn nodes_know_of_goldmane_only_where_its_resource_is_there() {
    assert_eq!(known(&[service()]), None);
    assert_eq!(known(&[goldmane()]), Some(Collector::default()));
}

#[test]
fn nodes_reach_goldmane_by_the_first_address_of_its_service() {
    let address = known(&[goldmane(), service()]).unwrap().address;
    assert_eq!(address.as_deref(), Some("fd00::7"));
}

#[test]
fn a_fresh_install_waits_a_moment_for_the_address_and_a_running_one_goes_on_without() {
    let now: Timestamp = "2030-01-01T00:00:10Z".parse().unwrap();
    let since = |text: &str| Some(text.parse().unwrap());
    let young = since("2030-01-01T00:00:00Z");
    assert_eq!(Collector::live(None, true, young, now), Some(Collector { address: None, is_awaited: true }));
    assert_eq!(Collector::live(None, false, young, now), None);
    assert_eq!(Collector::live(None, true, since("2029-12-31T23:59:00Z"), now), None);
    assert_eq!(Collector::live(None, true, None, now), None);
    let there = Collector::live(Some("10.0.0.7".into()), true, young, now).unwrap();
    assert_eq!((there.address.as_deref(), there.is_awaited), (Some("10.0.0.7"), false));
}

fn config(objects: &[Value]) -> Result<GoldmaneConfig, Vec<Message>> {
    let (inputs, fixed) = (inputs(objects), Fixed::default());
    let installation = crate::installation::validate(&inputs, fixed.env()).unwrap();
    validate(&parse::resource(goldmane()).unwrap(), installation, &inputs, false, fixed.env())
}

#[test]
fn the_bundle_has_the_certificates_of_the_installation_and_no_roots() {
    let config = config(&[]).unwrap();
    let map = config.bundle.config_map(CALICO_SYSTEM);
    let data = map.data.unwrap();
    assert_eq!(map.metadata.name.as_deref(), Some("goldmane-ca-bundle"));
    assert_eq!(data["tigera-ca-bundle.crt"], config.installation.certificates.bundle.certificates());
    assert_eq!((data["ca.crt"].is_empty(), data["ca-bundle.crt"].as_str()), (false, ""));
    assert!(!map.metadata.annotations.unwrap().contains_key("hash.operator.tigera.io/system"));
}

#[test]
fn a_pair_that_the_user_brought_is_used_and_trusted_by_nodes() {
    let ready_made = config(&[]).unwrap().key_pair.operator_secret().unwrap();
    let mut users = json!({"apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": "goldmane-key-pair", "namespace": "tigera-operator"}});
    users["data"] = serde_json::to_value(ready_made.data).unwrap();
    let config = config(&[users]).unwrap();
    assert!(config.key_pair.operator_secret().is_none(), "what is the user's is never written");
    let certificate = config.key_pair.certificate_pem().unwrap().lines().nth(1).unwrap().to_owned();
    assert!(config.installation.certificates.bundle.certificates().contains(&certificate));
}

#[test]
fn a_secret_of_the_user_that_is_no_pair_is_refused_by_name() {
    let broken = json!({"apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": "goldmane-key-pair", "namespace": "tigera-operator"}, "data": {}});
    let messages = config(&[broken]).unwrap_err();
    assert!(messages[0].to_string().starts_with("Secret tigera-operator/goldmane-key-pair: "), "{messages:?}");
}

#[test]
fn the_user_changes_its_deployment() {
    let mut config = config(&[]).unwrap();
    config.spec = serde_json::from_value(json!({"goldmaneDeployment": {"spec": {"minReadySeconds": 3}}})).unwrap();
    assert_eq!(config.overrides().len(), 1);
    assert_eq!(config.effective()["spec"]["goldmaneDeployment"]["spec"]["minReadySeconds"], 3);
}

#[test]
fn its_pair_is_looked_at_again_a_month_before_it_expires() {
    let config = config(&[]).unwrap();
    let expires = config.key_pair.expires().unwrap();
    let then = crate::certificates::next_change(&config.key_pairs(), expires - SignedDuration::from_hours(24 * 60));
    assert_eq!(then, Some(expires - SignedDuration::from_hours(24 * 30)));
}
