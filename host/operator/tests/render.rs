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
    // What the operator had in its environment when the objects were committed.
    let text = fs::read_to_string(case).unwrap();
    command.envs(text.lines().filter_map(|line| line.strip_prefix("# env: ")?.split_once('=')));
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
    // A cluster gets what can be served; offline the half would look like the whole.
    let text = fs::read_to_string(case).unwrap();
    if text.contains("kind: Whisker") && !text.contains("kind: Goldmane") {
        let refused = output.status.code() == Some(1) && output.stdout.is_empty() && talk.contains("(CHM0195)");
        return if refused { Vec::new() } else { vec![format!("{name}: not refused: {talk}")] };
    }
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

/// `chimera render` with these flags, and files by name whose place stands as `NAME` in the flags.
fn run(folder: &str, files: &[(&str, &str)], flags: &[&str]) -> (Option<i32>, String, String) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_chimera"));
    let output =
        command.current_dir(&folder).arg("render").args(flags).stdin(std::process::Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn installation(spec: &str) -> String {
    format!("{{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {{name: default}}, spec: {spec}}}")
}

#[test]
fn what_an_api_server_would_refuse_is_refused_and_everything_at_once() {
    let spec = "{calicoNetwrok: {}, calicoNetwork: {mtu: big, linuxDataplane: ebpf, ipPools: [{natOutgoing: yes}]}}";
    let (code, out, talk) = run("refused", &[("a.yaml", &installation(spec))], &["-f", "a.yaml"]);
    assert_eq!((code, out.as_str()), (Some(1), ""), "{talk}");
    for line in [
        "Installation default spec.calicoNetwrok: unknown field; did you mean calicoNetwork?",
        "Installation default spec.calicoNetwork.mtu: invalid value \"big\": must be a whole number",
        "Installation default spec.calicoNetwork.linuxDataplane: unsupported value \"ebpf\": supported are ",
        "Installation default spec.calicoNetwork.ipPools[0].cidr: required value",
    ] {
        assert!(talk.contains(line), "{line}\n{talk}");
    }
    assert!(!talk.contains("expected"), "nothing of Rust's: {talk}");
    // What another release knows may stand in the cluster's state.
    let pool = "{apiVersion: crd.projectcalico.org/v1, kind: IPPool, metadata: {name: p}, spec: {cidr: 10.99.0.0/16, wool: 1}}";
    let files = [("a.yaml", installation("{}")), ("pool.yaml", pool.to_owned())];
    let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let (code, _, talk) = run("state", &files, &["-f", "a.yaml", "--cluster-state", "pool.yaml"]);
    assert_eq!(code, Some(0), "{talk}");
    let (code, _, talk) = run("state", &files, &["-f", "a.yaml", "-f", "pool.yaml"]);
    assert_eq!(code, Some(1), "{talk}");
    assert!(talk.contains("IPPool p spec.wool: unknown field"), "{talk}");
}

#[test]
fn names_that_no_pool_can_have_and_numbers_out_of_bounds_are_refused_with_their_bounds() {
    for (spec, want) in [
        ("{calicoNetwork: {ipPools: [{cidr: 10.0.0.0/16, name: Pool_1}]}}", "spec.calicoNetwork.ipPools[0].name: "),
        ("{calicoNetwork: {mtu: -5}}", "spec.calicoNetwork.mtu: -5 is no size of a packet; use 0 to 65535 bytes"),
    ] {
        let (code, _, talk) = run("bounds", &[("a.yaml", &installation(spec))], &["-f", "a.yaml"]);
        assert_eq!(code, Some(1), "{talk}");
        assert!(talk.contains(want), "{talk}");
    }
}

#[test]
fn standard_input_is_read_only_once() {
    for flags in [&["-f", "-", "-f", "-"][..], &["-f", "-", "--cluster-state", "-"]] {
        let (code, _, talk) = run("twice", &[], flags);
        assert_eq!(code, Some(2), "{talk}");
        assert!(talk.contains("standard input (`-`) is named more than once"), "{talk}");
    }
}

#[test]
fn a_plugin_that_cannot_be_loaded_is_named_once_and_one_that_may_fail_only_warned_of() {
    let files = [
        ("a.yaml", installation("{}")),
        ("sheep.wasm", "no component".into()),
        ("sheep.yaml", "priority: 1".into()),
        ("goat.wasm", "no component".into()),
        ("goat.yaml", "failurePolicy: Ignore".into()),
    ];
    let files: Vec<_> = files.iter().map(|(name, text): &(&str, String)| (*name, text.as_str())).collect();
    let (code, out, talk) = run("plugins", &files, &["-f", "a.yaml", "--plugin", "sheep.wasm"]);
    assert_eq!((code, out.as_str()), (Some(1), ""), "{talk}");
    assert_eq!((talk.matches("plugin sheep").count(), talk.matches("(CHM0302)").count()), (1, 1), "{talk}");
    assert!(talk.contains("left out: namespaces, secrets,"), "{talk}");

    let (code, out, talk) = run("plugins", &files, &["-f", "a.yaml", "--plugin", "goat.wasm"]);
    assert_eq!(code, Some(0), "{talk}");
    assert!(out.contains("kind: DaemonSet"), "everything else is there");
    assert!(talk.starts_with("warning: plugin goat: ") && talk.contains("(CHM0302)"), "{talk}");
    assert_eq!(talk.matches("plugin goat").count(), 1, "{talk}");
}

#[test]
fn the_overlay_is_laid_over_the_default_and_the_operators_namespace_can_be_another() {
    let both = format!(
        "{}\n---\n{}",
        installation("{imagePath: meadow}"),
        installation("{registry: farm.example}").replace("default", "overlay")
    );
    let (code, out, talk) = run("overlay", &[("a.yaml", &both)], &["-f", "a.yaml", "--namespace", "barn"]);
    assert_eq!(code, Some(0), "{talk}");
    assert!(out.contains("image: farm.example/meadow/"), "{out}");
    assert!(out.contains("namespace: barn") && out.contains("barn.hash.operator.tigera.io/"), "{out}");
    assert!(!out.contains("namespace: tigera-operator"), "{out}");
}

#[test]
fn what_the_overlay_states_is_reported_against_it_and_alone_it_is_not_enough() {
    let over = installation("{registry: 'https://x'}").replace("name: default", "name: overlay");
    let both = format!("{}\n---\n{over}", installation("{imagePath: /barn}"));
    let (code, out, talk) = run("overlay-fault", &[("a.yaml", &both)], &["-f", "a.yaml"]);
    assert_eq!((code, out.as_str()), (Some(1), ""), "{talk}");
    assert!(
        talk.contains("Installation overlay spec.registry: ") && talk.contains("Installation default spec.imagePath: "),
        "{talk}"
    );
    let sheep = "{calicoNodeDaemonSet: {spec: {template: {spec: {containers: [{name: sheep}]}}}}}";
    let sheep =
        format!("{}\n---\n{}", installation("{}"), installation(sheep).replace("name: default", "name: overlay"));
    let (code, _, talk) = run("overlay-container", &[("a.yaml", &sheep)], &["-f", "a.yaml"]);
    assert_eq!(code, Some(1), "{talk}");
    assert!(talk.starts_with("error: Installation overlay spec.calicoNodeDaemonSet."), "{talk}");
    let (code, _, talk) = run("overlay-alone", &[("a.yaml", &over)], &["-f", "a.yaml"]);
    assert_eq!(code, Some(1), "{talk}");
    assert!(talk.contains("only the Installation `overlay` was given") && !talk.contains("delete"), "{talk}");
}

#[test]
fn kinds_and_versions_that_there_are_not_are_refused_and_what_comes_from_charts_is_named() {
    let ok = installation("{}");
    for (text, want) in [
        (
            ok.replace("/v1,", "/v2,"),
            "Installation default apiVersion: Installation is served as operator.tigera.io/v1 only",
        ),
        (
            ok.replace("kind: Installation", "kind: Instalation"),
            "kind: operator.tigera.io has no kind Instalation; did you mean Installation?",
        ),
    ] {
        let (code, out, talk) = run("unserved", &[("a.yaml", &text)], &["-f", "a.yaml"]);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{talk}");
        assert!(talk.contains(want), "{talk}");
    }
    let gateway = format!(
        "{ok}\n---\n{{apiVersion: operator.tigera.io/v1, kind: GatewayAPI, metadata: {{name: default}}, spec: {{}}}}"
    );
    let (code, _, talk) = run("charts", &[("a.yaml", &gateway)], &["-f", "a.yaml"]);
    assert_eq!(code, Some(0), "{talk}");
    assert!(talk.contains("warning: GatewayAPI default: nothing is rendered for it offline"), "{talk}");
}

#[test]
fn files_that_cannot_be_read_are_findings_in_plain_words() {
    let cut = "a: [1, 2";
    for (text, want) in [
        (cut, "a.yaml is not valid YAML: line "),
        ("a: 1\na: 2", "a.yaml is not valid YAML: line 2, column 1: a stands twice in the same map"),
        ("{apiVersion: v1, kind: Node}", "document 1 of a.yaml: an object has no metadata.name"),
    ] {
        let (code, out, talk) = run("unreadable", &[("a.yaml", text)], &["-f", "a.yaml"]);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{talk}");
        assert!(talk.contains(want), "{talk}");
        assert_eq!(talk.lines().count(), 1, "{talk}");
    }
    for flags in [&["-f", "nowhere.yaml"][..], &["-f", "."]] {
        let (code, _, talk) = run("unreadable", &[], flags);
        assert_eq!(code, Some(1), "{talk}");
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("latin");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("a.yaml"), b"a: \xe4").unwrap();
    let (code, _, talk) = run("latin", &[], &["-f", "a.yaml"]);
    assert_eq!(code, Some(1), "{talk}");
    assert!(talk.contains("a.yaml is no text in UTF-8"), "{talk}");
}

#[test]
fn with_a_problem_nothing_is_printed_so_that_nobody_applies_a_half() {
    let whisker = "{apiVersion: operator.tigera.io/v1, kind: Whisker, metadata: {name: default}, spec: {}}";
    let both = format!("{}\n---\n{whisker}", installation("{}"));
    let (code, out, talk) = run("half", &[("a.yaml", &both)], &["-f", "a.yaml"]);
    assert_eq!((code, out.as_str()), (Some(1), ""), "{talk}");
    assert!(talk.contains("Whisker default"), "{talk}");
}
