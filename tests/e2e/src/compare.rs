//! Compares what the operator left in a cluster with what is wanted.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use chimera_kit::ControlPlane;
use serde_json::Value;

use crate::OPERATOR_USER;
use crate::operator::root;

/// Every object that the operator created or changed, as the cluster holds it now.
pub async fn written(cluster: &ControlPlane) -> Result<Vec<Value>> {
    let audit = cluster.audit().await?.writes_by(OPERATOR_USER);
    let touched: BTreeSet<_> = audit
        .iter()
        .map(|event| (event.api_group.clone(), event.resource.clone(), event.namespace.clone(), event.name.clone()))
        .collect();
    let mut objects = cluster.dump().await?;
    objects.retain(|object| touched.contains(&identity(object)));
    objects.retain(|object| !["Event", "Lease"].contains(&object["kind"].as_str().unwrap_or_default()));
    Ok(objects)
}

/// Group, plural, namespace and name, as the audit log names an object.
fn identity(object: &Value) -> (String, String, String, String) {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let api_version = text("/apiVersion");
    let group = api_version.split_once('/').map_or("", |(group, _)| group).to_owned();
    (group, plural(&text("/kind")), text("/metadata/namespace"), text("/metadata/name"))
}

fn plural(kind: &str) -> String {
    let kind = kind.to_lowercase();
    match (kind.strip_suffix('y'), kind.ends_with('s')) {
        (Some(stem), _) => format!("{stem}ies"),
        (None, true) => format!("{kind}es"),
        (None, false) => format!("{kind}s"),
    }
}

/// The folder with the Go operator's output, where it is at hand.
pub fn goldens() -> Option<PathBuf> {
    let folder = root().join("../shared/goldens");
    folder.join("normalize.py").is_file().then_some(folder)
}

/// Differences to what the Go operator wrote for a case, beyond those that are meant. One a line.
pub fn differences(goldens: &Path, case: &str, objects: &[Value]) -> Result<String> {
    let folder = tempfile::tempdir().context("failed to make a folder")?;
    let got = folder.path().join("got.yaml");
    let text = serde_json::to_string(&serde_json::json!({"apiVersion": "v1", "kind": "List", "items": objects}))?;
    std::fs::write(&got, text).context("failed to write what was got")?;
    let want = goldens.join("expected").join(format!("{case}.yaml"));
    let output = Command::new("python3")
        .arg(goldens.join("normalize.py"))
        .arg("--diff")
        .arg(want)
        .arg(got)
        .output()
        .context("failed to run python3")?;
    ensure!(output.status.code() != Some(2), "normalize.py: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(text.contains("differences"), "normalize.py: {}", String::from_utf8_lossy(&output.stderr));
    let beyond = beyond(goldens, case)?;
    let ours = |line: &&str| !line.ends_with(" differences") && !beyond.iter().any(|start| line.starts_with(start));
    Ok(text.lines().filter(ours).collect::<Vec<_>>().join("\n"))
}

/// Whether there is an output of the Go operator for a case.
pub fn has_reference(goldens: &Path, case: &str) -> bool {
    goldens.join("expected").join(format!("{case}.yaml")).is_file()
}

/// Beginnings of differences that come from other custom resources, where the Go operator was given any.
fn beyond(goldens: &Path, case: &str) -> Result<Vec<String>> {
    let recorded = std::fs::read_to_string(goldens.join("cases").join(format!("{case}.yaml")))?;
    if !["APIServer", "Goldmane", "Whisker"].iter().any(|kind| recorded.contains(&format!("kind: {kind}\n"))) {
        return Ok(Vec::new());
    }
    let list = std::fs::read_to_string(root().join("tests/golden/beyond.txt"))?;
    Ok(list.lines().filter(|line| !line.starts_with('#')).map(Into::into).collect())
}
