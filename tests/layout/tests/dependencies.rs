//! Dependencies point one way: `crds ← core ← {sandbox, operator}`.

use std::collections::BTreeSet;
use std::process::Command;

/// Everything that a workspace package links when it is built alone.
fn linked(package: &str) -> BTreeSet<String> {
    let tree = ["tree", "--package", package, "--edges", "normal", "--prefix", "none", "--format", "{p}"];
    let output = Command::new(env!("CARGO")).args(tree).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter_map(|line| line.split_whitespace().next()).map(Into::into).collect()
}

#[test]
fn the_pure_crates_link_neither_client_nor_runtime_nor_sandbox() {
    for package in ["chimera-crds", "chimera-core"] {
        let linked = linked(package);
        for forbidden in
            ["kube-client", "kube-runtime", "tokio", "hyper", "wasmtime", "chimera-sandbox", "chimera-operator"]
        {
            assert!(!linked.contains(forbidden), "{package} links {forbidden}");
        }
    }
    assert!(!linked("chimera-crds").contains("chimera-core"), "types do not know the core");
}

#[test]
fn the_sandbox_does_not_know_the_cluster() {
    let linked = linked("chimera-sandbox");
    for forbidden in ["kube-client", "kube-runtime", "chimera-operator"] {
        assert!(!linked.contains(forbidden), "chimera-sandbox links {forbidden}");
    }
}

#[test]
fn products_do_not_link_test_tools() {
    for package in ["chimera-crds", "chimera-core", "chimera-sandbox", "chimera-operator"] {
        assert!(!linked(package).contains("chimera-kit"), "{package} links the test kit");
    }
}

/// Only the wiring of the operator names the sandbox: everything else knows plugins as `core::Extensions`.
#[test]
fn only_the_operators_wiring_names_the_sandbox() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../host/operator/src");
    let allowed = ["plugins.rs", "plugins/", "cli/"];
    for file in chimera_layout::files(source.as_ref()) {
        let path = file.strip_prefix(source).unwrap().display().to_string();
        let text = std::fs::read_to_string(&file).unwrap();
        if text.contains("chimera_sandbox") {
            assert!(allowed.iter().any(|prefix| path.starts_with(prefix)), "{path} names the sandbox");
        }
    }
}
