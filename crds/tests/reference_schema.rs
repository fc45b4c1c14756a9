//! Our CRDs accept and default what the reference CRDs do: every field, enum value, bound, default, list-map key and validation rule of
//! theirs is in ours, except for the deviations listed here.
//!
//! The reference is kept as distilled facts under `tests/reference`. Where the full reference is checked out beside the workspace, the
//! distilled copy is compared with it; `BLESS=1 cargo test -p chimera-crds --test reference_schema` renews it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[path = "reference_schema/compare.rs"]
mod compare;
#[path = "reference_schema/distill.rs"]
mod distill;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// A fact of the reference that ours lacks on purpose: where, what, and why.
struct Deviation {
    path: &'static str,
    keyword: &'static str,
    reason: &'static str,
}

/// Every intended deviation. What ours has beyond the reference needs no entry, as it is checked against real input instead.
const DEVIATIONS: &[Deviation] = &[
    // Kept out of the distilled copy already, since the words themselves have no place here:
    // * `spec.variant` and `status.variant` have a pattern instead of an enum: which variants exist is known only once plugins are loaded.
    // * The rule on `metadata.name` does not allow the name that belongs to a variant; the operator never looked at that one.
];

const AUTODETECTION: &str = "/nodeAddressAutodetectionV4";
const PLURALS: [&str; 3] = ["imagesets", "installations", "tigerastatuses"];

#[test]
fn our_crds_have_every_fact_of_the_reference() {
    let mut unused: BTreeSet<&str> = DEVIATIONS.iter().map(|deviation| deviation.path).collect();
    let mut lacks = Vec::new();
    for (plural, crd) in ours() {
        for lack in compare::lacks(&reference(&plural), &crd) {
            match DEVIATIONS.iter().find(|known| known.path == lack.path && known.keyword == lack.keyword) {
                Some(known) => drop(unused.remove(known.path)),
                None => lacks.push(format!("{plural} {}: {} {}", lack.path, lack.keyword, lack.detail)),
            }
        }
    }
    assert!(lacks.is_empty(), "ours lacks:\n{}", lacks.join("\n"));
    assert!(unused.is_empty(), "deviations that are none any more: {unused:?}");
    assert!(DEVIATIONS.iter().all(|deviation| !deviation.reason.is_empty()));
}

#[test]
fn computed_status_has_the_shape_of_spec() {
    let (_, crd) = ours().into_iter().find(|(plural, _)| plural == "installations").unwrap();
    let schema = distill::schema(&crd);
    let mut spec = schema.pointer("/properties/spec").unwrap().clone();
    spec.as_object_mut().unwrap().remove("default");
    distill::strip(&mut spec);
    let mut computed = schema.pointer("/properties/status/properties/computed").unwrap().clone();
    distill::strip(&mut computed);
    assert_eq!(spec, computed);
}

#[test]
fn distilled_facts_equal_the_reference_where_it_is_there() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/reference/crds/operator");
    if !folder.exists() {
        return;
    }
    for plural in PLURALS {
        let text = std::fs::read_to_string(folder.join(format!("operator.tigera.io_{plural}.yaml"))).unwrap();
        let mut text = serde_json::to_string(&distill::facts(&serde_saphyr::from_str(&text).unwrap())).unwrap();
        text.push('\n');
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(copy(plural), &text).unwrap();
        }
        assert!(
            std::fs::read_to_string(copy(plural)).unwrap_or_default() == text,
            "{plural} is out of date: run with BLESS=1"
        );
    }
}

#[test]
fn a_lost_field_enum_value_bound_or_rule_is_noticed() {
    let reference = reference("installations");
    let (_, crd) = ours().into_iter().find(|(plural, _)| plural == "installations").unwrap();
    let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
    for (parent, key, path, keyword) in [
        ("", "mtu", "spec.calicoNetwork.mtu", "field"),
        ("/bgp", "enum", "spec.calicoNetwork.bgp", "enum"),
        ("/ipPools", "maxItems", "spec.calicoNetwork.ipPools", "maxItems"),
        (
            AUTODETECTION,
            "x-kubernetes-validations",
            "spec.calicoNetwork.nodeAddressAutodetectionV4",
            "x-kubernetes-validations",
        ),
    ] {
        let mut broken = crd.clone();
        let parent = broken.pointer_mut(&format!("{spec}/calicoNetwork/properties{parent}")).unwrap();
        assert!(parent.as_object_mut().unwrap().remove(key).is_some());
        let lacks = compare::lacks(&reference, &broken);
        assert!(
            lacks.iter().any(|lack| lack.path == path && lack.keyword == keyword),
            "{path} {keyword} went unnoticed"
        );
    }
}

fn ours() -> Vec<(String, Value)> {
    let crds = chimera_crds::generate::operator_crds().unwrap();
    crds.into_iter().map(|crd| (crd["spec"]["names"]["plural"].as_str().unwrap().to_owned(), crd)).collect()
}

fn copy(plural: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/reference/{plural}.json"))
}

fn reference(plural: &str) -> Value {
    let file = copy(plural);
    serde_json::from_str(&std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display())))
        .unwrap()
}
