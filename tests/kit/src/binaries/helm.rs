//! Helm, which renders charts at build time: the one in PATH, else one built from its pinned Go module.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::{build, cache, sources};

/// Go module of `tests/controlplane`.
pub(super) const MODULE: &str = "helm";
const PROGRAM: cache::Program = ("helm", "helm.sh/helm/v4/cmd/helm");

/// Finds helm, and builds it if PATH has none, which takes two minutes the first time.
///
/// # Errors
///
/// When Go is missing, the build fails or the cache cannot be written.
pub fn helm() -> Result<PathBuf> {
    if let Some(path) = in_path(PROGRAM.0) {
        return Ok(path);
    }
    let sources = sources();
    let cache = cache::directory_of(&sources, MODULE)?;
    cache::ensure(&cache, &[PROGRAM], |target, missing| build::run(&sources.join(MODULE), MODULE, target, missing))
        .context("failed to get helm, which is not in PATH either")?;
    Ok(cache.join(PROGRAM.0))
}

fn in_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}
