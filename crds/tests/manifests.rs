//! The committed CRDs: complete, in step with each other, and small enough.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::path::{Path, PathBuf};

use chimera_crds::manifests;
use chimera_crds::projectcalico::{ApiGroup, Kind};
use serde_json::Value;

/// What the annotation that plain `kubectl apply` writes may hold, in bytes, all annotations of the object together.
const ANNOTATION_LIMIT: usize = 262_144;

fn all() -> Vec<Value> {
    let groups = [ApiGroup::V1, ApiGroup::V3].into_iter().flat_map(manifests::projectcalico_json);
    manifests::operator_json().chain(groups).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn file(crd: &Value) -> PathBuf {
    let folder = match crd["spec"]["group"].as_str().unwrap() {
        "operator.tigera.io" => "yaml",
        "crd.projectcalico.org" => "yaml/projectcalico/v1",
        "projectcalico.org" => "yaml/projectcalico/v3",
        _ => "yaml/projectcalico",
    };
    let name =
        format!("{}_{}.yaml", crd["spec"]["group"].as_str().unwrap(), crd["spec"]["names"]["plural"].as_str().unwrap());
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(name)
}

#[test]
fn committed_crds_are_those_of_the_types() {
    let committed: Vec<Value> = manifests::operator_json().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(
        committed == chimera_crds::generate::operator_crds().unwrap(),
        "run `cargo xtask crds` and commit the result"
    );
}

#[test]
fn every_embedded_crd_is_also_there_as_yaml() {
    for crd in all() {
        let file = file(&crd);
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert!(
            serde_saphyr::from_str::<Value>(&text).unwrap() == crd,
            "{} differs from what is embedded",
            file.display()
        );
    }
}

#[test]
fn every_crd_is_small_enough_for_plain_kubectl_apply() {
    for crd in all() {
        let size = crd.to_string().len();
        assert!(size < ANNOTATION_LIMIT * 4 / 5, "{} takes {size} bytes", crd["metadata"]["name"]);
    }
}

#[test]
fn embedded_crds_read_as_crds() {
    assert_eq!(manifests::operator_crds().unwrap().len(), 9);
    for group in [ApiGroup::V1, ApiGroup::V3] {
        assert_eq!(manifests::projectcalico_crds(group).unwrap().len(), 23);
    }
}

#[test]
fn every_kind_with_a_type_has_a_crd_in_both_groups() {
    for group in [ApiGroup::V1, ApiGroup::V3] {
        let crds = manifests::projectcalico_crds(group).unwrap();
        for kind in Kind::ALL {
            let name = format!("{}.{}", kind.plural(group), group.group());
            let crd = crds
                .iter()
                .find(|crd| crd.metadata.name.as_deref() == Some(&name))
                .unwrap_or_else(|| panic!("{name} is missing"));
            assert_eq!(crd.spec.names.kind, kind.kind(group));
            assert_eq!(crd.spec.versions[0].name, group.version());
            assert_eq!(crd.spec.scope == "Namespaced", kind.is_namespaced());
        }
    }
}

#[test]
fn every_field_of_ours_has_a_description() {
    for crd in manifests::operator_json() {
        let crd: Value = serde_json::from_str(crd).unwrap();
        let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
        let mut missing = Vec::new();
        undescribed(schema, "", &mut missing);
        assert!(missing.is_empty(), "{}: no description for {missing:?}", crd["metadata"]["name"]);
    }
}

/// Fields without a description whose siblings have one: embedded Kubernetes types and the copy of `spec` have none at all.
fn undescribed(schema: &Value, path: &str, missing: &mut Vec<String>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return schema.get("items").into_iter().for_each(|items| undescribed(items, path, missing));
    };
    let described = |schema: &Value| schema.get("description").is_some();
    if !properties.values().any(described) {
        return;
    }
    for (name, schema) in properties {
        let own = !path.is_empty() || name != "metadata";
        if own && !described(schema) {
            missing.push(format!("{path}.{name}"));
        }
        undescribed(schema, &format!("{path}.{name}"), missing);
    }
}

#[test]
fn crds_taken_from_go_types_carry_no_descriptions() {
    for line in [ApiGroup::V1, ApiGroup::V3].into_iter().flat_map(manifests::projectcalico_json) {
        assert!(!line.contains("\"description\":\""), "{line:.80}");
    }
}

#[test]
fn every_file_is_listed_for_kustomize_and_nothing_else_is() {
    for folder in ["yaml", "yaml/projectcalico/v1", "yaml/projectcalico/v3"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let text = std::fs::read_to_string(folder.join("Kustomization")).unwrap();
        let list: Value = serde_saphyr::from_str(&text).unwrap();
        let listed: Vec<_> = list["resources"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let missing: Vec<_> =
            files.filter(|name| name.ends_with(".yaml") && !listed.contains(&name.as_str())).collect();
        assert!(missing.is_empty(), "{} does not list {missing:?}", folder.display());
        assert!(listed.iter().all(|name| folder.join(name).exists()), "{} lists what is not there", folder.display());
    }
}
