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

/// A fact of the reference that ours lacks on purpose, or one of ours beyond it: of which kind (empty for all), where, what, and why.
struct Deviation {
    plural: &'static str,
    path: &'static str,
    keyword: &'static str,
    reason: &'static str,
}

/// What ours has beyond the reference, schema only. Each either adds or refuses nothing that the Go operator could have worked with.
const ADDITIONS: &[Deviation] = &[
    added("spec", "default", "readers always find a spec"),
    added("metadata.name", "field", "lets a rule point at the name"),
    added("status.defaults", "field", "what the operator chose, instead of writing it into spec"),
    added("spec.variant", "pattern", "an open name, but a name"),
    added("spec.variant", "maxLength", "an open name, but a name"),
    added("status.variant", "pattern", "an open name, but a name"),
    added("status.variant", "maxLength", "an open name, but a name"),
    added("spec.calicoNetwork", "x-kubernetes-validations", "bpfNetworkBootstrap with another dataplane never worked"),
    added(
        "spec.calicoNetwork.ipPools[]",
        "x-kubernetes-validations",
        "a block size or encapsulation that Calico refuses for the IP family",
    ),
    added("spec.calicoNetwork.ipPools[].cidr", "format", "what is no CIDR is refused at once"),
    added("spec.calicoNetwork.ipPools[].cidr", "maxLength", "no CIDR is longer; bounds the cost of the rules"),
    added("spec.calicoNetwork.ipPools[].assignmentMode", "enum", "the values that the IPPool takes"),
    added("spec.cni", "x-kubernetes-validations", "CNI and IPAM plugins that do not fit never worked"),
    added("spec.tlsMinVersion", "field", "the Go operator has cipher suites only"),
    added("spec.nonPrivileged", "enum", "any other word had no effect"),
    added(
        "spec.typhaAffinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution",
        "x-kubernetes-list-type",
        "what an API server assumes anyway; written out as in every other affinity",
    ),
    added_to("tigerastatuses", "status.conditions[].status", "enum", "the values that a condition takes"),
    added_to("apiservers", API_SERVER_PORT, "minimum", "what is no port never worked"),
    added_to("apiservers", API_SERVER_PORT, "maximum", "what is no port never worked"),
    added_to("goldmanes", "spec.metricsPort", "minimum", "what is no port never worked"),
    added_to("goldmanes", "spec.metricsPort", "maximum", "what is no port never worked"),
    added_to("whiskers", "spec.notifications", "enum", "the words that the console knows"),
    added_to(CONNECTIONS, "spec.managementClusterAddr", "pattern", "without a port it never worked"),
    added_to(CONNECTIONS, "spec.managementClusterAddr", "maxLength", "no name with a port is longer"),
    added_to("gatewayapis", "", "subresources", "a status like that of all others"),
    added_to("gatewayapis", "status", "field", "a status like that of all others"),
    added_to(
        "gatewayapis",
        "spec.gatewayClasses[].gatewayDeployment.spec.replicas",
        "minimum",
        "a Deployment refuses it",
    ),
    added_to("gatewayapis", "spec.gatewayControllerDeployment.spec.replicas", "minimum", "a Deployment refuses it"),
    added_to(
        "gatewayapis",
        "spec.gatewayClasses[].gatewayService.spec.patch.type",
        "enum",
        "the kinds of patch that Envoy Gateway knows",
    ),
    added_to("istios", "spec.dscpMark", "anyOf", "instead of the type"),
    added_to("istios", "spec.dscpMark", "minimum", "Felix refuses it"),
    added_to("istios", "spec.dscpMark", "maximum", "Felix refuses it"),
    added_to("istios", "spec.dscpMark", "x-kubernetes-validations", "names that Felix does not know"),
];

const CONNECTIONS: &str = "managementclusterconnections";
const API_SERVER_PORT: &str = "spec.apiServerDeployment.spec.template.spec.containers[].ports[].containerPort";

const fn added(path: &'static str, keyword: &'static str, reason: &'static str) -> Deviation {
    Deviation { plural: "", path, keyword, reason }
}

const fn added_to(plural: &'static str, path: &'static str, keyword: &'static str, reason: &'static str) -> Deviation {
    Deviation { plural, path, keyword, reason }
}

impl Deviation {
    fn covers(&self, plural: &str, lack: &compare::Lack) -> bool {
        let of_kind = self.plural.is_empty() || self.plural == plural;
        of_kind && self.path == lack.path && self.keyword == lack.keyword && !self.reason.is_empty()
    }
}

/// What ours lacks on purpose.
const DEVIATIONS: &[Deviation] = &[
    // Kept out of the distilled copy already, since the words themselves have no place here:
    // * `spec.variant` and `status.variant` have a pattern instead of an enum: which variants exist is known only once plugins are loaded.
    // * The rule on `metadata.name` does not spell out the names that belong to a variant. The Installation's is one that the operator
    //   never looked at; for other kinds every name of that shape is taken, and which of them means something is said by the plugin.
    added_to("istios", "spec.dscpMark", "type", "an integer is what server-side apply then takes only, not a name"),
];

const AUTODETECTION: &str = "/nodeAddressAutodetectionV4";
const PLURALS: [&str; 9] = [
    "apiservers",
    "gatewayapis",
    "goldmanes",
    "imagesets",
    "installations",
    "istios",
    "managementclusterconnections",
    "tigerastatuses",
    "whiskers",
];

#[test]
fn our_crds_have_every_fact_of_the_reference() {
    let mut unused: BTreeSet<&str> = DEVIATIONS.iter().map(|deviation| deviation.path).collect();
    let mut lacks = Vec::new();
    for (plural, crd) in ours() {
        for lack in compare::lacks(&reference(&plural), &crd) {
            match DEVIATIONS.iter().find(|known| known.covers(&plural, &lack)) {
                Some(known) => drop(unused.remove(known.path)),
                None => lacks.push(format!("{plural} {}: {} {}", lack.path, lack.keyword, lack.detail)),
            }
        }
    }
    assert!(lacks.is_empty(), "ours lacks:\n{}", lacks.join("\n"));
    assert!(unused.is_empty(), "deviations that are none any more: {unused:?}");
}

#[test]
fn what_ours_has_beyond_the_reference_is_listed() {
    let name = |addition: &'static Deviation| (addition.plural, addition.path, addition.keyword);
    let mut unused: BTreeSet<_> = ADDITIONS.iter().map(name).collect();
    let mut unlisted = Vec::new();
    for (plural, crd) in ours() {
        for more in compare::additions(&reference(&plural), &crd) {
            match ADDITIONS.iter().find(|known| known.covers(&plural, &more)) {
                Some(known) => drop(unused.remove(&name(known))),
                None => unlisted.push(format!("{plural} {}: {}", more.path, more.keyword)),
            }
        }
    }
    assert!(unlisted.is_empty(), "beyond the reference and not listed:\n{}", unlisted.join("\n"));
    assert!(unused.is_empty(), "listed, but not beyond the reference any more: {unused:?}");
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
fn a_lost_rule_on_the_name_is_noticed() {
    let (_, mut crd) = ours().into_iter().find(|(plural, _)| plural == "goldmanes").unwrap();
    assert!(compare::lacks(&reference("goldmanes"), &crd).is_empty());
    let schema = crd.pointer_mut("/spec/versions/0/schema/openAPIV3Schema").unwrap();
    schema["x-kubernetes-validations"][0]["rule"] = "self.metadata.name != 'default'".into();
    let lacks = compare::lacks(&reference("goldmanes"), &crd);
    assert_eq!(lacks.iter().map(|lack| lack.keyword.as_str()).collect::<Vec<_>>(), ["x-kubernetes-validations"]);
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
