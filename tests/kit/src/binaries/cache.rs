//! The cache directory, shared by all processes of the user.

use std::env;
use std::fs::{self, File};
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use super::{MODULES, build};

/// Start of the names of directories that are built into.
const SCRATCH: &str = ".build-";

/// A program's file name and Go package.
pub(super) type Program = (&'static str, &'static str);

/// `$CHIMERA_CACHE/controlplane/HASH`, where the hash is of all that decides what is built.
pub(super) fn directory(sources: &Path) -> Result<PathBuf> {
    let modules: Vec<_> = MODULES.iter().map(|module| module.name).collect();
    hashed("controlplane", sources, &modules)
}

/// The same for the programs of one other module, such as `$CHIMERA_CACHE/helm/HASH`.
pub(super) fn directory_of(sources: &Path, module: &str) -> Result<PathBuf> {
    hashed(module, sources, &[module])
}

fn hashed(name: &str, sources: &Path, modules: &[&str]) -> Result<PathBuf> {
    let mut hash = Sha256::new();
    for part in [env::consts::OS, env::consts::ARCH].into_iter().chain(build::FLAGS) {
        hash.update(part);
        hash.update([0]);
    }
    for module in modules {
        for file in ["go.mod", "go.sum"] {
            let path = sources.join(module).join(file);
            hash.update(fs::read(&path).with_context(|| format!("failed to read {}", path.display()))?);
        }
    }
    let hash: String = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Ok(root()?.join(name).join(hash))
}

fn root() -> Result<PathBuf> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("CHIMERA_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|dir| dir.join("chimera")))
        .or_else(|| env::home_dir().map(|dir| dir.join(".cache/chimera")))
        .context("neither CHIMERA_CACHE, XDG_CACHE_HOME nor HOME is set: set one of them")
}

/// Has `build` put those programs that `cache` lacks into a directory beside it and moves them in. One process at a
/// time; the lock goes with the process that holds it.
pub(super) fn ensure(
    cache: &Path,
    programs: &[Program],
    build: impl FnOnce(&Path, &[Program]) -> Result<()>,
) -> Result<()> {
    if missing(cache, programs).is_empty() {
        return Ok(());
    }
    fs::create_dir_all(cache).with_context(|| format!("failed to create {}", cache.display()))?;
    let lock = File::create(cache.join(".lock")).with_context(|| format!("failed to write to {}", cache.display()))?;
    if lock.try_lock().is_err() {
        let _ = writeln!(stderr(), "waiting for another process that builds the same");
        lock.lock().context("failed to lock the cache")?;
    }
    let missing = missing(cache, programs);
    if missing.is_empty() {
        return Ok(());
    }
    remove_abandoned(cache)?;
    let scratch = tempfile::Builder::new().prefix(SCRATCH).tempdir_in(cache).context("failed to create a directory")?;
    build(scratch.path(), &missing)?;
    for (name, _) in missing {
        fs::rename(scratch.path().join(name), cache.join(name)).with_context(|| format!("the build made no {name}"))?;
    }
    Ok(())
}

/// Builds that were killed. Nobody else builds while we hold the lock.
fn remove_abandoned(cache: &Path) -> Result<()> {
    let entries = fs::read_dir(cache).with_context(|| format!("failed to list {}", cache.display()))?;
    for entry in entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(SCRATCH)) {
        let path = entry.path();
        fs::remove_dir_all(&path).with_context(|| format!("failed to remove {}", path.display()))?;
    }
    Ok(())
}

fn missing(cache: &Path, programs: &[Program]) -> Vec<Program> {
    programs.iter().filter(|(name, _)| !cache.join(name).is_file()).copied().collect()
}
