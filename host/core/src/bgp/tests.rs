//! Who programs routes, as BGPConfiguration and FelixConfiguration say it.

use chimera_crds::installation::InstallationSpec;
use serde_json::{Value, json};

use crate::felix;
use crate::installation::config::ApiGroup;
use crate::message::Message;
use crate::object::Object;
use crate::routes::ROUTES_ANNOTATION;

fn routing(mode: Value) -> InstallationSpec {
    serde_json::from_value(json!({"calicoNetwork": {"clusterRoutingMode": mode}})).unwrap()
}

fn live(kind: &str, annotation: Option<&str>, manager: &str, routes: &str) -> Object {
    let annotations = annotation.map_or_else(|| json!({}), |value| json!({ROUTES_ANNOTATION: value}));
    let fields = json!({"f:spec": {"f:programClusterRoutes": {}}});
    Object::from_value(json!({"apiVersion": "crd.projectcalico.org/v1", "kind": kind,
        "metadata": {"name": "default", "annotations": annotations,
            "managedFields": [{"manager": manager, "operation": "Update", "fieldsV1": fields}]},
        "spec": {"programClusterRoutes": routes}}))
    .unwrap()
}

fn bgp(mode: Value, there: Option<&Object>) -> Result<Option<Value>, String> {
    let configured = super::configure(&routing(mode), there, ApiGroup::V1);
    configured
        .map(|object| object.map(Object::into_value))
        .map_err(|messages| messages.iter().map(Message::to_string).collect())
}

fn routes_of_felix(mode: Value, there: Option<&Object>) -> Value {
    let felix = felix::configure(&routing(mode), None, there, ApiGroup::V1).unwrap();
    felix.object.into_value()["spec"]["programClusterRoutes"].clone()
}

#[test]
fn the_two_resources_share_the_routes_out_between_felix_and_bird() {
    let cases = [("BIRD", "Disabled", "Enabled"), ("Felix", "Enabled", "Disabled")];
    for (mode, felix, bird) in cases.into_iter().chain([("FelixIPIPOnly", "EnabledIPIPOnly", "EnabledNoEncapOnly")]) {
        assert_eq!(routes_of_felix(json!(mode), None), felix, "{mode}");
        let object = bgp(json!(mode), None).unwrap().unwrap();
        assert_eq!(object["spec"], json!({"programClusterRoutes": bird}), "{mode}");
        assert_eq!(object["metadata"]["annotations"], json!({ROUTES_ANNOTATION: bird}), "{mode}");
    }
}

#[test]
fn without_a_mode_nothing_is_written_and_the_users_choice_stays() {
    assert_eq!(bgp(Value::Null, None), Ok(None));
    let there = live("BGPConfiguration", None, "kubectl-edit", "Disabled");
    assert_eq!(bgp(Value::Null, Some(&there)), Ok(None));
    let there = live("FelixConfiguration", None, "kubectl-edit", "Enabled");
    assert_eq!(routes_of_felix(Value::Null, Some(&there)), Value::Null);
}

#[test]
fn what_the_operator_set_follows_the_mode_and_goes_with_it() {
    let recorded = live("BGPConfiguration", Some("Disabled"), "kubectl-edit", "Disabled");
    let former_operators = live("BGPConfiguration", None, "operator", "Disabled");
    for there in [recorded, former_operators] {
        let object = bgp(json!("BIRD"), Some(&there)).unwrap().unwrap();
        assert_eq!(object["spec"]["programClusterRoutes"], "Enabled");
        let gone = bgp(Value::Null, Some(&there)).unwrap().unwrap();
        assert!(gone["spec"].as_object().unwrap()["programClusterRoutes"].is_null(), "{gone}");
    }
}

#[test]
fn a_value_of_the_users_that_contradicts_the_mode_is_an_error_that_names_both() {
    for annotation in [None, Some("Disabled")] {
        let there = live("BGPConfiguration", annotation, "kubectl-edit", "EnabledIPIPOnly");
        let message = bgp(json!("Felix"), Some(&there)).unwrap_err();
        let start = "BGPConfiguration default spec.programClusterRoutes: it is EnabledIPIPOnly, but Installation \
                     default spec.calicoNetwork.clusterRoutingMode asks for Disabled";
        assert!(message.starts_with(start), "{message}");
    }
    let there = live("BGPConfiguration", None, "kubectl-edit", "Disabled");
    assert!(bgp(json!("Felix"), Some(&there)).is_ok(), "the same value is no conflict");
}
