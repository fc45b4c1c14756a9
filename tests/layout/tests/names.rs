//! The host knows no product variant, and the tree knows no machine.

use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().and_then(Path::parent).unwrap()
}

/// Lines of text files below `folder` that contain one of `words`, case aside, as `path:line`.
fn hits(folder: &str, words: &[&str]) -> Vec<String> {
    let mut hits = Vec::new();
    for file in chimera_layout::files(&root().join(folder)) {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        for (number, line) in text.lines().enumerate() {
            // A provider of Kubernetes that has the word in its name is no variant.
            let line = line.to_lowercase().replace("dockerenterprise", "").replace("docker enterprise", "");
            if words.iter().any(|word| line.contains(word)) {
                hits.push(format!("{}:{}", file.strip_prefix(root()).unwrap().display(), number + 1));
            }
        }
    }
    hits
}

#[test]
fn host_types_and_interfaces_name_no_variant() {
    for folder in ["host", "crds", "wit"] {
        // Taken apart so that this file does not hit itself when it moves.
        let found = hits(folder, &[concat!("enter", "prise"), concat!("tigera", "secure")]);
        assert!(found.is_empty(), "a variant is named in {found:?}");
    }
}

#[test]
fn no_path_of_a_machine_is_in_the_tree() {
    for folder in ["host", "crds", "wit", "plugins", "tests", "xtask", "docs", "deploy", ".ci"] {
        let found = hits(folder, &[concat!("/wo", "rk/"), concat!("/ro", "ot/")]);
        assert!(found.is_empty(), "a path of a machine stands in {found:?}");
    }
}

#[test]
fn no_source_file_is_longer_than_600_lines() {
    for folder in ["host", "crds/src", "plugins", "tests", "xtask"] {
        for file in chimera_layout::files(&root().join(folder)) {
            // Nobody reads what is generated.
            let is_generated = file.file_name().is_some_and(|name| name == "generated.rs");
            if !is_generated && file.extension().is_some_and(|extension| extension == "rs") {
                let lines = std::fs::read_to_string(&file).unwrap().lines().count();
                assert!(lines <= 600, "{} has {lines} lines; split it", file.display());
            }
        }
    }
}
