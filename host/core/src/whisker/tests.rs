//! Whisker's config.

use chimera_crds::parse;
use serde_json::json;

use super::*;
use crate::object::Object;
use crate::testing::Fixed;

fn config(whisker: Value, cluster: Option<ClusterInformationSpec>) -> WhiskerConfig {
    let installation = json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation",
        "metadata": {"name": "default"}, "spec": {}});
    let (fixed, objects) = (Fixed::default(), vec![Object::from_value(installation).unwrap()]);
    let inputs = InstallationInputs::from_objects(objects).unwrap();
    let installation = crate::installation::validate(&inputs, fixed.env()).unwrap();
    validate(&parse::resource(whisker).unwrap(), installation, &inputs, cluster, fixed.env()).unwrap()
}

fn whisker(spec: Value) -> Value {
    json!({"apiVersion": "operator.tigera.io/v1", "kind": "Whisker", "metadata": {"name": "default"}, "spec": spec})
}

#[test]
fn notifications_are_on_unless_the_user_turns_them_off() {
    assert_eq!(config(whisker(json!({})), None).effective()["spec"]["notifications"], "Enabled");
    let off = config(whisker(json!({"notifications": "Disabled"})), None);
    assert_eq!(off.spec.notifications, Some(Toggle::Disabled));
}

#[test]
fn a_browser_on_a_forwarded_port_finds_the_name_that_it_asked_for() {
    let pair = config(whisker(json!({})), None).key_pair;
    assert_eq!(pair.common_name(), "localhost");
    assert!(pair.dns_names().iter().any(|name| name == "localhost"));
    assert!(pair.dns_names().iter().any(|name| name == "whisker.calico-system.svc"));
}

#[test]
fn both_pairs_say_in_pods_what_they_always_said() {
    let config = config(whisker(json!({})), None);
    let names = [&config.key_pair, &config.backend_key_pair].map(|pair| pair.hash_annotation().0);
    assert_eq!(
        names,
        ["whisker-key-pair", "whisker-backend-key-pair"]
            .map(|name| format!("calico-system.hash.operator.tigera.io/{name}"))
    );
}

#[test]
fn without_goldmane_the_message_says_what_to_create() {
    let message = without_goldmane("default").to_string();
    assert!(message.starts_with("Whisker default: "), "{message}");
    assert!(message.contains("Goldmane `default`"), "{message}");
}
