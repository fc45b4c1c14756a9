//! Golden outputs: what each case of `tests/golden/cases` renders to, against what is committed in `tests/golden`.
//!
//! `CHIMERA_BLESS=1` writes what is rendered now over what is committed.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod case;
mod compare;
mod connections;
mod normalise;
mod pipeline;
mod reference;

use std::fs;

use case::Case;

const BLESS: &str = "CHIMERA_BLESS";

#[test]
fn every_case_renders_what_is_committed() {
    let bless = std::env::var_os(BLESS).is_some();
    let mut findings = Vec::new();
    for case in Case::all() {
        let rendered = normalise::all(pipeline::render(&case));
        if bless {
            fs::write(case.golden(), compare::to_yaml(&rendered)).unwrap();
        }
        let committed = fs::read_to_string(case.golden()).unwrap_or_default();
        findings.extend(compare::findings(&case.name, &compare::from_yaml(&committed), &rendered));
    }
    assert!(
        findings.is_empty(),
        "what is rendered is not what tests/golden has; if it is meant, run this test with {BLESS}=1 and look at the \
         difference:\n{}",
        findings.join("\n")
    );
}

#[test]
fn every_case_is_what_clusters_have_already() {
    let Some(reference) = reference::Reference::beside_this_checkout() else { return };
    let findings: Vec<_> = Case::all().iter().flat_map(|case| reference.differences(case)).collect();
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}
