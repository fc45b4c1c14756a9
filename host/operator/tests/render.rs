//! `chimera render` over every case of `tests/golden`: the objects are those that a cluster gets.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden")
}

fn files(folder: &str) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(golden().join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "there are no {folder}");
    files
}

/// As many nodes as the committed objects were made with: three, or what the head of the case says (`# nodes: 5`).
fn nodes(case: &Path) -> PathBuf {
    let text = fs::read_to_string(case).unwrap();
    let head = text.lines().find_map(|line| line.strip_prefix("# nodes: "));
    let node = |number| {
        let labels = json!({"kubernetes.io/os": "linux"});
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": format!("node-{number}"), "labels": labels}})
    };
    let count = head.map_or(3, |count| count.trim().parse().unwrap());
    let list = json!({"apiVersion": "v1", "kind": "List", "items": (0..count).map(node).collect::<Vec<_>>()});
    let name = case.file_stem().unwrap().to_string_lossy();
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-nodes.json"));
    fs::write(&file, list.to_string()).unwrap();
    file
}

fn render(case: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chimera"));
    command.arg("render").arg("-f").arg(case).arg("--cluster-state").arg(nodes(case)).args(["-o", "json"]);
    command.output().unwrap()
}

fn keyed(objects: impl IntoIterator<Item = Value>) -> BTreeMap<String, Value> {
    let key = |object: &Value| {
        let text = |path| object.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
        [text("/apiVersion"), text("/kind"), text("/metadata/namespace"), text("/metadata/name")].join(" ")
    };
    objects.into_iter().filter(Value::is_object).map(|object| (key(&object), object)).collect()
}

/// What is rendered and not committed: the committed objects have the API server's defaults, and markers instead of keys.
fn compare(rendered: &Value, committed: &Value, path: &str, found: &mut Vec<String>) {
    match (rendered, committed) {
        (_, Value::String(marker)) if marker.starts_with('<') && marker.ends_with('>') => {}
        (Value::String(_), Value::Object(marker)) if marker.contains_key("certificates") => {}
        (Value::Object(rendered), Value::Object(committed)) => {
            for (name, value) in rendered {
                let committed = committed.get(name).unwrap_or(&Value::Null);
                compare(value, committed, &format!("{path}.{name}"), found);
            }
        }
        (Value::Array(rendered), Value::Array(committed)) if rendered.len() == committed.len() => {
            for (at, (rendered, committed)) in rendered.iter().zip(committed).enumerate() {
                compare(rendered, committed, &format!("{path}[{at}]"), found);
            }
        }
        (rendered, committed) if rendered == committed => {}
        // What is empty is not kept by an API server.
        (rendered, Value::Null) if is_empty(rendered) => {}
        (rendered, committed) => found.push(format!("{path}: rendered {rendered}, committed {committed}")),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(fields) => fields.values().all(is_empty),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// Key material is not printed.
fn without_secrets(mut object: Value) -> Value {
    if let (true, Some(fields)) = (object["kind"] == "Secret", object.as_object_mut()) {
        fields.remove("data");
        fields.remove("stringData");
    }
    object
}

fn findings(case: &Path) -> Vec<String> {
    let output = render(case);
    let name = case.file_stem().unwrap().to_string_lossy().into_owned();
    let talk = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return vec![format!("{name}: {} {talk}", output.status)];
    }
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rendered = keyed(list["items"].as_array().unwrap().iter().cloned().map(without_secrets));
    let text = fs::read_to_string(golden().join(format!("{name}.yaml"))).unwrap();
    let committed = keyed(serde_saphyr::from_multiple::<Value>(&text).unwrap().into_iter().map(without_secrets));
    let mut found = Vec::new();
    for key in committed.keys().filter(|key| !rendered.contains_key(*key)) {
        found.push(format!("{key} is not rendered"));
    }
    for (key, object) in &rendered {
        match committed.get(key) {
            Some(committed) => compare(object, committed, key, &mut found),
            None => found.push(format!("{key} is not committed")),
        }
    }
    found.into_iter().map(|finding| format!("{name}: {finding}")).collect()
}

#[test]
fn every_case_renders_offline_what_a_cluster_gets() {
    let findings: Vec<_> = files("cases").iter().flat_map(|case| findings(case)).collect();
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

#[test]
fn every_refused_case_is_refused_offline_and_the_field_or_object_is_named() {
    for case in files("refused") {
        let output = render(&case);
        let talk = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{}: {talk}", case.display());
        assert!(output.stdout.is_empty(), "{}: something was rendered", case.display());
        let named = ["Installation default spec.", "ImageSet calico-"].iter().any(|start| talk.contains(start));
        assert!(named && talk.contains("(CHM"), "{}: {talk}", case.display());
    }
}
