//! Compares what the operator left in a cluster with what is wanted.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use chimera_kit::ControlPlane;
use serde_json::Value;

use crate::OPERATOR_USER;
use crate::operator::root;

/// Calico's own resources, as its API server serves them, and as it stores them.
const CALICO: (&str, &str) = ("projectcalico.org", "crd.projectcalico.org");

/// What a case itself brings as it is stored, and nobody writes; the reference has it as it is served.
const GIVEN: &str = "missing projectcalico.org/v3/IPAMConfiguration//default";

/// Where Calico's own API is made of CustomResourceDefinitions, Kubernetes makes its APIService; the Go operator touched
/// it, which is nobody's business.
const KUBERNETES_OWN: &str = "missing apiregistration.k8s.io/v1/APIService//v3.projectcalico.org";
const AUTOMANAGED: &str = "kube-aggregator.kubernetes.io/automanaged";

/// Every object that the operator created or changed, as the cluster holds it now. What Calico's API server stores for
/// the operator is among them, and what it serves of that.
pub async fn written(cluster: &ControlPlane) -> Result<Vec<Value>> {
    let audit = cluster.audit().await?.writes_for(OPERATOR_USER);
    let touched: BTreeSet<_> = audit
        .iter()
        .map(|event| {
            let (group, resource) = either(&event.api_group, &event.resource);
            (group, resource, event.namespace.clone(), event.name.clone())
        })
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
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    let (group, plural) = either(group, &plural(&text("/kind")));
    (group, plural, text("/metadata/namespace"), text("/metadata/name"))
}

/// The name of a resource that it has served or stored.
fn either(group: &str, plural: &str) -> (String, String) {
    let group = if group == CALICO.1 { CALICO.0 } else { group };
    let plural = if plural == "ipamconfigs" { "ipamconfigurations" } else { plural };
    (group.to_owned(), plural.to_owned())
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
        .arg(&want)
        .arg(got)
        .output()
        .context("failed to run python3")?;
    ensure!(output.status.code() != Some(2), "normalize.py: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(text.contains("differences"), "normalize.py: {}", String::from_utf8_lossy(&output.stderr));
    let kubernetes_own = std::fs::read_to_string(&want).context("failed to read the reference")?.contains(AUTOMANAGED);
    let meant = |line: &str| {
        is_assigned(line) || is_silence(line) || line == GIVEN || (kubernetes_own && line == KUBERNETES_OWN)
    };
    let ours = |line: &&str| !line.ends_with(" differences") && !meant(line);
    Ok(text.lines().filter(ours).collect::<Vec<_>>().join("\n"))
}

/// Whether there is an output of the Go operator for a case.
pub fn has_reference(goldens: &Path, case: &str) -> bool {
    goldens.join("expected").join(format!("{case}.yaml")).is_file()
}

/// Whether a difference is a condition that the Go operator leaves out: it has only those that were true once.
fn is_silence(line: &str) -> bool {
    line.starts_with("differs operator.tigera.io/v1/TigeraStatus//")
        && line.contains(" status.conditions")
        && line.contains(" want null ")
}

/// Whether a difference is the address that the API server gave to a Service, in an entry of hosts.
fn is_assigned(line: &str) -> bool {
    let address = r#" "10.96."#;
    line.contains(".hostAliases[") && line.contains(".ip ") && line.matches(address).count() == 2
}
