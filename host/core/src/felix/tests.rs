//! What lands in FelixConfiguration.

use chimera_crds::installation::InstallationSpec;
use serde_json::{Value, json};

use super::*;
use crate::installation::config::ApiGroup;
use crate::message::Message;
use crate::object::Object;

fn spec(value: Value) -> InstallationSpec {
    serde_json::from_value(value).unwrap()
}

fn dataplane(name: &str) -> InstallationSpec {
    spec(json!({"calicoNetwork": {"linuxDataplane": name}}))
}

fn existing(annotation: Option<&str>, fields: Value) -> Object {
    let annotations = annotation.map(|value| json!({BPF_ANNOTATION: value}));
    Object::from_value(json!({"apiVersion": "crd.projectcalico.org/v1", "kind": "FelixConfiguration",
        "metadata": {"name": "default", "annotations": annotations}, "spec": fields}))
    .unwrap()
}

fn written(spec: &InstallationSpec, there: Option<&Object>) -> Value {
    configure(spec, None, there, ApiGroup::V1).unwrap().object.into_value()
}

fn refused(spec: &InstallationSpec, there: &Object) -> String {
    configure(spec, None, Some(there), ApiGroup::V1).unwrap_err().iter().map(Message::to_string).collect()
}

#[test]
fn a_plain_cluster_gets_the_standard_fields_and_nothing_else() {
    let want = json!({"apiVersion": "crd.projectcalico.org/v1", "kind": "FelixConfiguration",
        "metadata": {"name": "default", "annotations": {"operator.tigera.io/bpfEnabled": "false"}},
        "spec": {"bpfEnabled": false, "healthPort": 9099, "nftablesFlowTableOffload": "Disabled",
            "nftablesMode": "Disabled", "vxlanPort": 4789, "vxlanVNI": 4096}});
    assert_eq!(written(&InstallationSpec::default(), None), want);
}

#[test]
fn platforms_and_dataplanes_have_fields_of_their_own() {
    let cases = [
        (json!({"kubernetesProvider": "OpenShift"}), json!({"healthPort": 9199})),
        (json!({"kubernetesProvider": "DockerEnterprise"}), json!({"vxlanVNI": 10000})),
        (json!({"cni": {"type": "AmazonVPC"}}), json!({"routeTableRange": {"min": 65, "max": 99}})),
        (json!({"cni": {"type": "GKE"}}), json!({"routeTableRange": {"min": 10, "max": 250}})),
        (json!({"calicoNetwork": {"linuxDataplane": "Nftables"}}), json!({"nftablesMode": "Auto"})),
        (
            json!({"calicoNetwork": {"linuxDataplane": "BPF"}}),
            json!({"nftablesMode": "Enabled", "bpfEnabled": true, "bpfKubeProxyHealthzPort": 0}),
        ),
    ];
    for (installation, want) in cases {
        let object = written(&spec(installation.clone()), None);
        for (name, value) in want.as_object().unwrap() {
            assert_eq!(&object["spec"][name], value, "{installation} {name}");
        }
    }
}

#[test]
fn what_the_user_set_is_not_the_operators() {
    let there = existing(None, json!({"vxlanPort": 4799, "healthPort": 9555, "logSeverityScreen": "Debug"}));
    let felix = configure(&InstallationSpec::default(), None, Some(&there), ApiGroup::V3).unwrap();
    assert_eq!(felix.facts.health_port, 9555);
    let object = felix.object.into_value();
    assert_eq!(object["apiVersion"], "projectcalico.org/v3");
    let names: Vec<_> = object["spec"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(names, ["bpfEnabled", "nftablesFlowTableOffload", "nftablesMode", "vxlanVNI"]);
}

#[test]
fn what_the_operator_chose_follows_the_dataplane() {
    let there = existing(Some("false"), json!({"bpfEnabled": false, "nftablesMode": "Disabled"}));
    let (before, now) = (dataplane("Iptables"), dataplane("Nftables"));
    let object = configure(&now, Some(&before), Some(&there), ApiGroup::V1).unwrap().object.into_value();
    assert_eq!(object["spec"]["nftablesMode"], "Auto");
    let error = configure(&now, Some(&now), Some(&there), ApiGroup::V1).unwrap_err();
    let start = "FelixConfiguration default spec.nftablesMode: it is Disabled, but Installation default \
                 spec.calicoNetwork.linuxDataplane is Nftables";
    assert!(
        error[0].to_string().starts_with(start),
        "with that dataplane before, it was the user who chose: {error:?}"
    );
}

#[test]
fn managed_fields_tell_whose_a_default_is() {
    let there = |manager: &str| {
        let mut object = existing(Some("false"), json!({"vxlanVNI": 4096, "bpfEnabled": false})).into_value();
        object["metadata"]["managedFields"] = json!([
            {"manager": "operator", "operation": "Update", "fieldsV1": {"f:spec": {"f:bpfEnabled": {}}}},
            {"manager": manager, "operation": "Update", "fieldsV1": {"f:spec": {"f:vxlanVNI": {}}}},
        ]);
        Object::from_value(object).unwrap()
    };
    let (before, now) = (InstallationSpec::default(), spec(json!({"kubernetesProvider": "DockerEnterprise"})));
    let vni = |manager: &str| {
        let object = configure(&now, Some(&before), Some(&there(manager)), ApiGroup::V1).unwrap().object.into_value();
        object["spec"]["vxlanVNI"].clone()
    };
    assert_eq!(vni("operator"), 10_000);
    assert_eq!(vni("chimera"), 10_000);
    assert_eq!(vni("kubectl-edit"), Value::Null, "the user's, though it is what the operator would have chosen before");
}

#[test]
fn what_the_api_server_fills_in_is_nobodys_choice() {
    let there = existing(None, json!({"nftablesMode": "Auto"}));
    assert_eq!(written(&InstallationSpec::default(), Some(&there))["spec"]["nftablesMode"], "Disabled");
}

#[test]
fn bpf_that_the_operator_turned_on_is_turned_off_again() {
    let there = existing(Some("true"), json!({"bpfEnabled": true}));
    assert_eq!(written(&dataplane("Iptables"), Some(&there))["spec"]["bpfEnabled"], false);
}

#[test]
fn bpf_that_the_user_turned_on_is_a_conflict_with_another_dataplane() {
    for annotation in [None, Some("false")] {
        let there = existing(annotation, json!({"bpfEnabled": true}));
        let message = refused(&dataplane("Iptables"), &there);
        assert!(message.starts_with("FelixConfiguration default spec.bpfEnabled: it is true"), "{message}");
        assert!(message.contains("linuxDataplane to BPF"), "{message}");
        assert_eq!(written(&dataplane("BPF"), Some(&there))["spec"]["bpfEnabled"], true);
    }
}

#[test]
fn a_port_that_is_none_is_named() {
    let message = refused(&InstallationSpec::default(), &existing(None, json!({"healthPort": 70000})));
    assert!(message.contains("spec.healthPort: 70000 is no TCP port; use 1 to 65535"), "{message}");
}

#[test]
fn metrics_have_a_port_only_if_they_are_on() {
    let port = |fields| {
        configure(&InstallationSpec::default(), None, Some(&existing(None, fields)), ApiGroup::V1)
            .unwrap()
            .facts
            .metrics_port
    };
    assert_eq!(port(json!({"prometheusMetricsPort": 9999})), None);
    assert_eq!(port(json!({"prometheusMetricsEnabled": true})), Some(9091));
    assert_eq!(port(json!({"prometheusMetricsEnabled": true, "prometheusMetricsPort": 9999})), Some(9999));
}
