//! `cargo xtask bench render`: validating and rendering, in the process itself.

use std::path::Path;

use anyhow::Result;

use crate::process::cargo;

/// Runs the benchmark of `chimera-core`, which is optimised as a release is.
pub(super) fn run(root: &Path) -> Result<()> {
    cargo(root, &["bench", "--quiet", "--package", "chimera-core", "--bench", "render"])
}
