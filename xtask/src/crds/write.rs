//! CRDs as files.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::generated;

/// Writes one CRD as YAML below a comment, or checks that it stands there.
pub(super) fn yaml(root: &Path, file: &str, header: &str, crd: &Value, check: bool) -> Result<()> {
    let body = serde_saphyr::to_string(crd).with_context(|| format!("failed to write {file} as YAML"))?;
    generated::put(root, file, &format!("{header}{body}"), check)
}

/// Writes CRDs as JSON, one a line, or checks that they stand there.
pub(super) fn json_lines(root: &Path, file: &str, crds: &[Value], check: bool) -> Result<()> {
    let mut lines = String::new();
    for crd in crds {
        lines.push_str(&serde_json::to_string(crd).with_context(|| format!("failed to write {file} as JSON"))?);
        lines.push('\n');
    }
    generated::put(root, file, &lines, check)
}
