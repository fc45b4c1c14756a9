//! Resources as users write them: nothing is lost between YAML and the types, and mistakes are named.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::path::{Path, PathBuf};

use chimera_crds::projectcalico::{
    ApiGroup, BgpConfiguration, FelixConfiguration, GlobalNetworkPolicy, IpPool, NetworkPolicy, Tier,
};
use chimera_crds::{
    ApiServer, GatewayApi, Goldmane, ImageSet, Installation, Istio, ManagementClusterConnection, TigeraStatus, Whisker,
    parse,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Every document of every YAML file in a folder; none if there is no such folder.
fn documents(folder: &Path) -> Vec<(PathBuf, Value)> {
    let files = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let yaml = files.filter(|file| file.extension().is_some_and(|extension| extension == "yaml"));
    yaml.flat_map(|file| {
        let text = std::fs::read_to_string(&file).unwrap();
        let values: Vec<Value> =
            serde_saphyr::from_multiple(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        values.into_iter().filter(|value| !value.is_null()).map(move |value| (file.clone(), value)).collect::<Vec<_>>()
    })
    .collect()
}

fn assert_round_trip<T: DeserializeOwned + Serialize>(file: &Path, value: &Value) {
    let parsed: T = parse::resource(value.clone()).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut expected = value.clone();
    expected.as_object_mut().unwrap().entry("spec").or_insert(json!({}));
    let written = serde_json::to_value(parsed).unwrap();
    assert_eq!(without_empty_metadata(written), expected, "{}", file.display());
}

/// `creationTimestamp: null` and the like come and go without a meaning.
fn without_empty_metadata(mut value: Value) -> Value {
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|_, value| !value.is_null());
    }
    value
}

/// Checks one document, if its kind has a type here.
fn check(file: &Path, value: &Value) -> bool {
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    match (text("apiVersion").split('/').next().unwrap(), text("kind").as_str()) {
        ("operator.tigera.io", "Installation") => assert_round_trip::<Installation>(file, value),
        ("operator.tigera.io", "ImageSet") => assert_round_trip::<ImageSet>(file, value),
        ("operator.tigera.io", "APIServer") => assert_round_trip::<ApiServer>(file, value),
        ("operator.tigera.io", "Goldmane") => assert_round_trip::<Goldmane>(file, value),
        ("operator.tigera.io", "Whisker") => assert_round_trip::<Whisker>(file, value),
        ("operator.tigera.io", "ManagementClusterConnection") => {
            assert_round_trip::<ManagementClusterConnection>(file, value)
        }
        ("operator.tigera.io", "GatewayAPI") => assert_round_trip::<GatewayApi>(file, value),
        ("operator.tigera.io", "Istio") => assert_round_trip::<Istio>(file, value),
        ("operator.tigera.io", "TigeraStatus") => assert_round_trip::<TigeraStatus>(file, value),
        ("crd.projectcalico.org" | "projectcalico.org", "IPPool") => assert_round_trip::<IpPool>(file, value),
        ("crd.projectcalico.org" | "projectcalico.org", "FelixConfiguration") => {
            assert_round_trip::<FelixConfiguration>(file, value)
        }
        ("crd.projectcalico.org" | "projectcalico.org", "BGPConfiguration") => {
            assert_round_trip::<BgpConfiguration>(file, value)
        }
        ("crd.projectcalico.org" | "projectcalico.org", "NetworkPolicy") => {
            assert_round_trip::<NetworkPolicy>(file, value)
        }
        ("crd.projectcalico.org" | "projectcalico.org", "GlobalNetworkPolicy") => {
            assert_round_trip::<GlobalNetworkPolicy>(file, value)
        }
        ("crd.projectcalico.org" | "projectcalico.org", "Tier") => assert_round_trip::<Tier>(file, value),
        _ => return false,
    }
    true
}

#[test]
fn samples_and_test_data_survive_a_round_trip() {
    for folder in ["samples", "tests/data"] {
        let checked = documents(&here(folder)).iter().filter(|(file, value)| check(file, value)).count();
        assert!(checked > 3, "{folder}: {checked} documents");
    }
}

#[test]
fn golden_resources_survive_a_round_trip_where_they_are_there() {
    let folders = std::fs::read_dir(here("../../shared/goldens")).into_iter().flatten();
    for folder in folders {
        for (file, mut value) in documents(&folder.unwrap().path()) {
            // Normalised: without the times that a condition needs and the uid that an owner needs.
            value.as_object_mut().unwrap().remove("status");
            value.get_mut("metadata").and_then(Value::as_object_mut).map(|metadata| metadata.remove("ownerReferences"));
            check(&file, &value);
        }
    }
}

#[test]
fn an_unknown_enum_value_is_refused_with_its_field_and_the_values_that_are_allowed() {
    let value = json!({
        "apiVersion": "operator.tigera.io/v1",
        "kind": "Installation",
        "metadata": { "name": "default" },
        "spec": { "calicoNetwork": { "ipPools": [{ "cidr": "10.0.0.0/16", "encapsulation": "Vxlan" }] } },
    });
    let message = parse::resource::<Installation>(value).unwrap_err().to_string();
    assert_eq!(
        message,
        "Installation default is not valid: field spec.calicoNetwork.ipPools[0].encapsulation: unsupported value \"Vxlan\": \
         supported are \"IPIPCrossSubnet\", \"IPIP\", \"VXLAN\", \"VXLANCrossSubnet\", \"None\""
    );
}

#[test]
fn a_field_of_the_wrong_type_is_refused_with_its_path() {
    let value = json!({
        "apiVersion": "operator.tigera.io/v1", "kind": "Installation", "metadata": {}, "spec": { "calicoNetwork": { "mtu": "big" } }
    });
    let error = parse::resource::<Installation>(value).unwrap_err();
    assert_eq!((error.resource.as_str(), error.path.as_str()), ("Installation <unnamed>", "spec.calicoNetwork.mtu"));
    assert_eq!(error.message, "invalid value \"big\": must be a whole number");
}

#[test]
fn a_variant_may_have_any_pascal_case_name_and_no_other() {
    let with = |variant: &str| {
        let spec = json!({ "variant": variant });
        parse::resource::<Installation>(json!({
            "apiVersion": "operator.tigera.io/v1", "kind": "Installation", "metadata": { "name": "default" }, "spec": spec,
        }))
    };
    assert_eq!(with("Acme2").unwrap().spec.variant.unwrap().as_str(), "Acme2");
    let longest = format!("A{}", "b".repeat(62));
    assert!(with(&longest).is_ok());
    for bad in ["", "calico", "2Calico", "Acme-2", &format!("{longest}c")] {
        let message = with(bad).unwrap_err().to_string();
        assert!(message.contains("spec.variant") && message.contains("capital letter"), "{bad}: {message}");
    }
}

#[test]
fn a_resource_without_spec_reads_like_one_with_an_empty_spec() {
    let value =
        json!({ "apiVersion": "operator.tigera.io/v1", "kind": "Installation", "metadata": { "name": "default" } });
    let installation: Installation = parse::resource(value).unwrap();
    assert_eq!(installation.spec, chimera_crds::InstallationSpec::default());
}

#[test]
fn a_new_resource_names_its_group_and_its_kind_in_it() {
    let config = |group| {
        let object = chimera_crds::projectcalico::IpamConfig::new(group, "default", Default::default());
        let value = serde_json::to_value(object).unwrap();
        (value["apiVersion"].as_str().unwrap().to_owned(), value["kind"].as_str().unwrap().to_owned())
    };
    assert_eq!(config(ApiGroup::V1), ("crd.projectcalico.org/v1".to_owned(), "IPAMConfig".to_owned()));
    assert_eq!(config(ApiGroup::V3), ("projectcalico.org/v3".to_owned(), "IPAMConfiguration".to_owned()));
    assert_eq!("projectcalico.org/v3".parse(), Ok(ApiGroup::V3));
    assert!(
        "projectcalico.org/v1"
            .parse::<ApiGroup>()
            .unwrap_err()
            .to_string()
            .contains("use `crd.projectcalico.org/v1` or")
    );
}
