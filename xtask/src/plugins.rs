//! `cargo xtask plugins`: builds every guest as a component, into `plugins/NAME.wasm` of the target folder.

mod toolchain;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;
use wit_component::ComponentEncoder;

use crate::process;
use toolchain::{TARGET, Toolchain};

/// Arguments of the subcommand.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Guests to build; all of them if none is named
    names: Vec<String>,
}

/// Builds the named guests, or all.
pub(crate) fn run(root: &Path, args: &Args) -> Result<()> {
    build(root, &args.names).map(drop)
}

/// Builds all guests.
pub(crate) fn build_all(root: &Path) -> Result<()> {
    build(root, &[]).map(drop)
}

/// Checks the guests' workspace as the host's is checked. Its tests run on the host, where guests are plain functions.
pub(crate) fn check(root: &Path) -> Result<()> {
    let workspace = root.join("plugins");
    let target = process::target(root).join("plugins-build");
    let target = target.to_str().context("the path of the target folder is not UTF-8")?;
    process::cargo(&workspace, &["fmt", "--all", "--check"])?;
    let lints = ["clippy", "--workspace", "--all-targets", "--target-dir", target, "--", "--deny", "warnings"];
    process::cargo(&workspace, &lints)?;
    process::cargo(&workspace, &["test", "--workspace", "--quiet", "--target-dir", target])
}

/// Builds the named guests, or all; answers with their components.
pub(crate) fn build(root: &Path, names: &[String]) -> Result<Vec<PathBuf>> {
    let workspace = root.join("plugins");
    let toolchain = Toolchain::find(&workspace)?;
    let guests = chosen(&toolchain.guests()?, names)?;
    let target = process::target(root);
    let modules = target.join("plugins-build");
    toolchain.build(&guests, &modules)?;
    let into = target.join("plugins");
    std::fs::create_dir_all(&into).with_context(|| format!("failed to create {}", into.display()))?;
    let component = |guest: &String| {
        let module = modules.join(TARGET).join("release").join(format!("{}.wasm", guest.replace('-', "_")));
        let component = into.join(format!("{guest}.wasm"));
        componentize(&module, &component).with_context(|| format!("failed to make a component of guest {guest}"))?;
        Ok(component)
    };
    guests.iter().map(component).collect()
}

fn chosen(all: &[String], names: &[String]) -> Result<Vec<String>> {
    if let Some(unknown) = names.iter().find(|name| !all.contains(name)) {
        bail!("there is no guest {unknown}; there are {}", all.join(", "));
    }
    Ok(if names.is_empty() { all.to_vec() } else { names.to_vec() })
}

/// Turns a core module into a component. One that is there already is left alone, with its time, if it is the same.
fn componentize(module: &Path, component: &Path) -> Result<()> {
    let bytes = std::fs::read(module).with_context(|| format!("failed to read {}", module.display()))?;
    let bytes = ComponentEncoder::default().validate(true).module(&bytes)?.encode()?;
    if std::fs::read(component).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    // Whoever reads it sees the old one or the new one, whole.
    let fresh = component.with_extension("wasm.new");
    std::fs::write(&fresh, &bytes).with_context(|| format!("failed to write {}", fresh.display()))?;
    std::fs::rename(&fresh, component).with_context(|| format!("failed to write {}", component.display()))?;
    anstream::eprintln!("built {} ({} KiB)", component.display(), bytes.len() / 1024);
    Ok(())
}

/// What `cargo metadata` says, as far as it matters here.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    crate_types: Vec<String>,
}

/// Packages that make a module.
fn guests(metadata: &[u8]) -> Result<Vec<String>> {
    let metadata: Metadata = serde_json::from_slice(metadata).context("failed to read what cargo metadata says")?;
    let is_guest = |package: &Package| {
        package.targets.iter().any(|target| target.crate_types.iter().any(|crate_type| crate_type == "cdylib"))
    };
    let mut names: Vec<_> = metadata.packages.into_iter().filter(is_guest).map(|package| package.name).collect();
    names.sort();
    ensure!(!names.is_empty(), "the guests' workspace has no guest");
    Ok(names)
}
