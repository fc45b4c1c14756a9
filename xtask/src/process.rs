//! Runs other programs, with errors that name them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

/// Runs cargo in a folder, its output passed through.
pub(crate) fn cargo(folder: &Path, arguments: &[&str]) -> Result<()> {
    let status = chimera_kit::cargo()
        .args(arguments)
        .current_dir(folder)
        .status()
        .with_context(|| format!("failed to start cargo {}", arguments.join(" ")))?;
    ensure!(status.success(), "cargo {} failed", arguments.join(" "));
    Ok(())
}

/// Folder of build results, as cargo uses it.
pub(crate) fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder))
}

/// Builds the operator as it is released; gives back where it is.
pub(crate) fn release(root: &Path) -> Result<PathBuf> {
    cargo(root, &["build", "--release", "--package", "chimera-operator"])?;
    Ok(target(root).join("release/chimera"))
}

/// A cargo subcommand that a check needs.
pub(crate) struct Tool {
    /// Name of its package and program.
    pub(crate) name: &'static str,
    /// Version to install where none is there.
    pub(crate) version: &'static str,
}

impl Tool {
    /// Installs it where it is missing.
    pub(crate) fn ensure(&self, root: &Path) -> Result<()> {
        let there = Command::new(self.name).arg("--version").output().is_ok_and(|output| output.status.success());
        if there {
            return Ok(());
        }
        anstream::eprintln!("installing {} {} (once)", self.name, self.version);
        cargo(root, &["install", "--locked", "--version", self.version, self.name])
    }
}
