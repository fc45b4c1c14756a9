//! The CRDs as they are installed: generated, committed, and embedded as compact JSON, one a line.
//!
//! Nothing is parsed before it is asked for, and one at a time if the caller likes, so that an operator which installs no CRDs pays no
//! memory for them.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::projectcalico::ApiGroup;

const OPERATOR: &str = include_str!("manifests/operator.jsonl");
const PROJECTCALICO_V1: &str = include_str!("manifests/projectcalico_v1.jsonl");
const PROJECTCALICO_V3: &str = include_str!("manifests/projectcalico_v3.jsonl");

/// An embedded CRD that is none: the crate was built from files that nobody checked.
#[derive(Debug, thiserror::Error)]
#[error("failed to read an embedded CRD")]
pub struct ManifestError(#[from] serde_json::Error);

/// The CRDs of `operator.tigera.io`, each as JSON.
pub fn operator_json() -> impl Iterator<Item = &'static str> {
    OPERATOR.lines()
}

/// The CRDs that Calico itself needs, in the given group, each as JSON.
pub fn projectcalico_json(group: ApiGroup) -> impl Iterator<Item = &'static str> {
    match group {
        ApiGroup::V1 => PROJECTCALICO_V1.lines(),
        ApiGroup::V3 => PROJECTCALICO_V3.lines(),
    }
}

/// The CRDs of `operator.tigera.io`.
///
/// # Errors
///
/// [`ManifestError`], only if the crate was built from broken files.
pub fn operator_crds() -> Result<Vec<CustomResourceDefinition>, ManifestError> {
    parse(operator_json())
}

/// The CRDs that Calico itself needs, in the given group.
///
/// # Errors
///
/// [`ManifestError`], only if the crate was built from broken files.
pub fn projectcalico_crds(group: ApiGroup) -> Result<Vec<CustomResourceDefinition>, ManifestError> {
    parse(projectcalico_json(group))
}

fn parse(lines: impl Iterator<Item = &'static str>) -> Result<Vec<CustomResourceDefinition>, ManifestError> {
    lines.map(|line| Ok(serde_json::from_str(line)?)).collect()
}
