//! Which charts make up a set, and the values that fit the operator. What depends on a cluster is no value: the operator
//! lays it over what the charts come to.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use chimera_core::names::{CALICO_SYSTEM, TIGERA_GATEWAY};

/// One chart to render.
pub(super) struct Part {
    /// Folder, archive or reference.
    pub(super) chart: String,
    /// The namespace that it goes to.
    pub(super) namespace: &'static str,
    /// Name of the release, which charts make names of.
    release: &'static str,
    /// As `--set` takes them.
    values: Vec<String>,
}

impl Part {
    /// Arguments of helm.
    pub(super) fn template(&self) -> Vec<String> {
        let fixed =
            ["template", self.release, &self.chart, "--namespace", self.namespace, "--include-crds", "--skip-tests"];
        let values = self.values.iter().flat_map(|value| ["--set", value]);
        fixed.into_iter().chain(values).map(Into::into).collect()
    }
}

/// Envoy Gateway.
pub(super) fn gateway(chart: &str) -> Vec<Part> {
    let part =
        Part { chart: chart.into(), namespace: TIGERA_GATEWAY, release: "tigera-gateway-api", values: Vec::new() };
    vec![part]
}

/// Istio's ambient mesh, in the order that its charts build on each other.
pub(super) fn istio(folder: &Path) -> Result<Vec<Part>> {
    let global = format!("global.istioNamespace={CALICO_SYSTEM}");
    let profile = "profile=ambient".to_owned();
    let trusted = format!("trustedZtunnelNamespace={CALICO_SYSTEM}");
    let agent = ["ambient.enabled=true", "ambient.reconcileIptablesOnStartup=true"].map(String::from);
    let parts = [
        ("base", vec![global.clone()]),
        ("istiod", vec![global.clone(), profile.clone(), trusted, "global.operatorManageWebhooks=true".into()]),
        ("cni", [vec![global.clone(), profile.clone()], agent.to_vec()].concat()),
        ("ztunnel", vec![global, profile]),
    ];
    let part = |(name, values)| {
        Ok(Part { chart: find(folder, name)?, namespace: CALICO_SYSTEM, release: release(name), values })
    };
    parts.into_iter().map(part).collect()
}

/// The agent's DaemonSet and that of ztunnel are named after their releases.
fn release(name: &str) -> &'static str {
    match name {
        "cni" => "istio-cni",
        "ztunnel" => "ztunnel",
        _ => "calico-istio",
    }
}

/// A folder of that name, or an archive whose name goes on with the version.
fn find(folder: &Path, name: &str) -> Result<String> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("failed to list {}", folder.display()))?;
    for entry in entries {
        let path = entry.with_context(|| format!("failed to list {}", folder.display()))?.path();
        let file = path.file_name().and_then(|file| file.to_str()).unwrap_or_default();
        let archive = file.strip_prefix(name).is_some_and(|rest| rest.starts_with('-') && rest.ends_with(".tgz"));
        if file == name || archive {
            return path.to_str().map(Into::into).with_context(|| format!("{} is no text", path.display()));
        }
    }
    bail!("{} has no chart {name}: neither a folder {name} nor an archive {name}-VERSION.tgz", folder.display())
}
