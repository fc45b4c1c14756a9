//! `cargo xtask plugins`: builds every guest as a component, into `plugins/NAME.wasm` of the target folder, with the
//! guest's own NAME.yaml beside it where it has one.

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
    let guests = chosen(toolchain.guests()?, names)?;
    let target = process::target(root);
    let modules = target.join("plugins-build");
    let names: Vec<_> = guests.iter().map(|guest| guest.name.clone()).collect();
    toolchain.build(&names, &modules)?;
    let into = target.join("plugins");
    std::fs::create_dir_all(&into).with_context(|| format!("failed to create {}", into.display()))?;
    let component = |Guest { name: guest, folder }: &Guest| {
        let module = modules.join(TARGET).join("release").join(format!("{}.wasm", guest.replace('-', "_")));
        let component = into.join(format!("{guest}.wasm"));
        componentize(&module, &component).with_context(|| format!("failed to make a component of guest {guest}"))?;
        settle(&folder.join(format!("{guest}.yaml")), &into)?;
        Ok(component)
    };
    guests.iter().map(component).collect()
}

fn chosen(all: Vec<Guest>, names: &[String]) -> Result<Vec<Guest>> {
    let known: Vec<_> = all.iter().map(|guest| guest.name.clone()).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(name)) {
        bail!("there is no guest {unknown}; there are {}", known.join(", "));
    }
    Ok(all.into_iter().filter(|guest| names.is_empty() || names.contains(&guest.name)).collect())
}

/// Puts a guest's settings beside its component, where it has any.
fn settle(settings: &Path, into: &Path) -> Result<()> {
    let Some(name) = settings.file_name().filter(|_| settings.is_file()) else { return Ok(()) };
    std::fs::copy(settings, into.join(name)).with_context(|| format!("failed to copy {}", settings.display()))?;
    Ok(())
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

/// A package that makes a module.
struct Guest {
    name: String,
    folder: PathBuf,
}

/// What `cargo metadata` says, as far as it matters here.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    crate_types: Vec<String>,
}

/// Packages that make a module.
fn guests(metadata: &[u8]) -> Result<Vec<Guest>> {
    let metadata: Metadata = serde_json::from_slice(metadata).context("failed to read what cargo metadata says")?;
    let is_guest = |package: &Package| {
        package.targets.iter().any(|target| target.crate_types.iter().any(|crate_type| crate_type == "cdylib"))
    };
    let guest = |Package { name, mut manifest_path, targets: _ }: Package| {
        manifest_path.pop();
        Guest { name, folder: manifest_path }
    };
    let mut guests: Vec<_> = metadata.packages.into_iter().filter(is_guest).map(guest).collect();
    guests.sort_by(|a, b| a.name.cmp(&b.name));
    ensure!(!guests.is_empty(), "the guests' workspace has no guest");
    Ok(guests)
}
