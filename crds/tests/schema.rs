//! What the schema refuses offline, one row a rule.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use chimera_crds::projectcalico::ApiGroup;
use chimera_crds::{manifests, schema};
use regex_lite::Regex;
use serde_json::{Value, json};

fn installation(spec: Value) -> Value {
    json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation", "metadata": {"name": "default"}, "spec": spec})
}

fn said(object: &Value) -> Vec<String> {
    schema::problems(object).into_iter().map(|problem| format!("{}: {}", problem.path, problem.message)).collect()
}

#[test]
fn each_breach_is_named_by_field_value_and_what_would_be_taken() {
    let pools = |pool: Value| json!({"calicoNetwork": {"ipPools": [pool]}});
    let table = [
        (json!({"calicoNetwrok": {}}), "spec.calicoNetwrok: unknown field; did you mean calicoNetwork?"),
        (json!({"wool": 1}), "spec.wool: unknown field"),
        (json!({"calicoNetwork": {"MTU": 1}}), "spec.calicoNetwork.MTU: unknown field; did you mean mtu?"),
        (
            json!({"calicoNetwork": {"mtu": "big"}}),
            "spec.calicoNetwork.mtu: invalid value \"big\": must be a whole number",
        ),
        (
            json!({"calicoNetwork": {"mtu": 2_147_483_648_i64}}),
            "spec.calicoNetwork.mtu: invalid value 2147483648: must be from -2147483648 to 2147483647",
        ),
        (json!({"calicoNetwork": []}), "spec.calicoNetwork: invalid value a list: must be a map"),
        (json!({"variant": "cow"}), "spec.variant: invalid value \"cow\": must match ^[A-Z][A-Za-z0-9]*$"),
        (
            pools(json!({"cidr": "10.0.0.0/33"})),
            "spec.calicoNetwork.ipPools[0].cidr: invalid value \"10.0.0.0/33\": must be a range, such as 192.168.0.0/16",
        ),
        (pools(json!({})), "spec.calicoNetwork.ipPools[0].cidr: required value: it is missing"),
        (pools(json!(null)), "spec.calicoNetwork.ipPools[0]: invalid value null: must be a map"),
        (
            pools(json!({"cidr": "10.0.0.0/16", "natOutgoing": "enabled"})),
            "spec.calicoNetwork.ipPools[0].natOutgoing: unsupported value \"enabled\": supported are \"Enabled\", \"Disabled\"",
        ),
        (
            json!({"nodeUpdateStrategy": {"rollingUpdate": {"maxUnavailable": true}}}),
            "spec.nodeUpdateStrategy.rollingUpdate.maxUnavailable: invalid value true: must be a whole number or text",
        ),
    ];
    for (spec, want) in table {
        assert_eq!(said(&installation(spec)), [want]);
    }
    let mut misnamed = installation(json!({}));
    misnamed["metadata"]["name"] = "Default_".into();
    assert!(said(&misnamed)[0].starts_with("metadata.name: invalid value \"Default_\""));
}

#[test]
fn everything_that_is_wrong_is_said_at_once_and_nulls_and_a_foreign_status_are_not_wrong() {
    let mut object = installation(json!({"a": 1, "variant": "cow", "cni": null}));
    object["status"] = json!({"theirs": 1});
    assert_eq!(said(&object).len(), 2, "{:?}", said(&object));
    assert_eq!(
        said(&json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "A"}, "spec": 1})),
        Vec::<String>::new()
    );
}

#[test]
fn bounds_and_duplicates_name_the_bound_and_the_element() {
    let pool = |block: i64| {
        json!({"apiVersion": "projectcalico.org/v3", "kind": "IPPool", "metadata": {"name": "p"},
            "spec": {"cidr": "10.0.0.0/16", "blockSize": block}})
    };
    let said = said(&pool(129));
    assert_eq!(said, ["spec.blockSize: invalid value 129: must be from 0 to 128"]);
}

#[test]
fn every_pattern_of_every_schema_can_be_read() {
    fn walk(schema: &Value, unread: &mut Vec<String>) {
        match schema {
            Value::Object(fields) => {
                if let Some(pattern) = fields.get("pattern").and_then(Value::as_str)
                    && Regex::new(pattern).is_err()
                {
                    unread.push(pattern.to_owned());
                }
                fields.values().for_each(|below| walk(below, unread));
            }
            Value::Array(items) => items.iter().for_each(|below| walk(below, unread)),
            _ => {}
        }
    }
    let lists = [manifests::projectcalico_json(ApiGroup::V1), manifests::projectcalico_json(ApiGroup::V3)];
    let mut unread = Vec::new();
    for definition in lists.into_iter().flatten().chain(manifests::operator_json()) {
        walk(&serde_json::from_str(definition).unwrap(), &mut unread);
    }
    assert_eq!(unread, Vec::<String>::new());
}

#[test]
fn what_stands_in_the_samples_and_golden_cases_is_taken() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seen = 0;
    for folder in ["samples", "../tests/golden/cases"] {
        for file in fs::read_dir(root.join(folder)).unwrap() {
            let file = file.unwrap().path();
            let text = fs::read_to_string(&file).unwrap();
            for object in serde_saphyr::from_multiple::<Value>(&text).unwrap() {
                assert_eq!(said(&object), Vec::<String>::new(), "{}", file.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn metadata_as_the_api_server_serves_it_is_taken() {
    let mut live = installation(json!({}));
    live["metadata"] = json!({
        "name": "default", "uid": "0", "generation": 2, "resourceVersion": "7", "labels": {"a": "b"},
        "annotations": {"a": "b"}, "finalizers": ["tigera.io/operator-cleanup"], "managedFields": [{"manager": "kubectl"}],
    });
    assert_eq!(said(&live), [""; 0]);
}
