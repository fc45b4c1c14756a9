//! A guest with an interface of its own for the Installation.

use chimera_core::env::{Clock, Env, Randomness};
use chimera_core::extend::extend;
use chimera_core::extensions::Point;
use chimera_core::images::Image;
use chimera_core::installation::{InstallationConfig, InstallationInputs, validate};
use chimera_core::object::Object;
use jiff::Timestamp;
use serde_json::json;

use crate::kit::{component, modified, set, template};

struct Fixed;

impl Clock for Fixed {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }
}

impl Randomness for Fixed {
    fn key_pair(&self) -> Result<rcgen::KeyPair, rcgen::Error> {
        rcgen::KeyPair::generate()
    }

    fn serial(&self) -> Result<rcgen::SerialNumber, rcgen::Error> {
        Ok(1_u64.into())
    }
}

fn config() -> InstallationConfig {
    let object = |value| Object::from_value(value).unwrap();
    let node = |name: &str| {
        object(json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name,
        "labels": {"kubernetes.io/os": "linux"}}}))
    };
    let installation = json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation",
        "metadata": {"name": "default"}, "spec": {"registry": "registry.example/"}});
    let inputs = InstallationInputs::from_objects(vec![object(installation), node("a"), node("b")]).unwrap();
    validate(&inputs, Env { namespace: "tigera-operator", clock: &Fixed, randomness: &Fixed }).unwrap()
}

#[test]
fn a_guest_for_the_installation_is_told_what_the_core_worked_out() {
    let config = config();
    let set = set("installation", "");
    let (after, _) = extend(component("sheep"), Point::Installation(&config), &set).unwrap();
    let expected = json!({
        "witness/domain": "cluster.local",
        "witness/linux-nodes": "2",
        "witness/typha-replicas": config.cluster.typha_replicas.to_string(),
        "witness/node-image": config.images.reference(Image::Node),
        "witness/key-pairs": "node-certs,typha-certs",
        "witness/bundle": "tigera-ca-bundle",
        "witness/kind": "Installation",
    });
    assert_eq!(template(&after, "/metadata/annotations"), expected);
    assert!(config.images.reference(Image::Node).starts_with("registry.example/"));
}

#[test]
fn a_guest_for_the_installation_is_not_asked_about_other_points() {
    let set = set("installation", "");
    let (after, _) = modified(&set, "sheep").unwrap();
    assert_eq!(after.objects(), component("sheep").objects());
    assert_eq!(set.loaded()[0].calls, 0);
}

#[test]
fn a_guest_for_any_component_gets_those_of_the_installation_too() {
    let config = config();
    let set = set("labels", "settings: {labels: {team: network}}");
    let (after, _) = extend(component("sheep"), Point::Installation(&config), &set).unwrap();
    assert_eq!(template(&after, "/metadata/labels/team"), json!("network"));
}
