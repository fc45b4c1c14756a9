//! `cargo xtask test`: everything that CI runs, cheap checks first, the real control plane last.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;

use crate::process::{Tool, cargo};
use crate::{codes, crds, plugins};

/// Newest cargo-deny that the toolchain takes.
const DENY_VERSION: &str = "0.20.2";

/// Crates whose tests start a control plane; they run apart, so that two heavy suites never share the machine.
const SLOW: [&str; 2] = ["chimera-kit", "chimera-e2e"];

type Step<'a> = (&'a str, Box<dyn Fn() -> Result<()> + 'a>);

/// Runs every step; ends at the first that fails.
pub(crate) fn run(root: &Path) -> Result<()> {
    for (name, step) in steps(root) {
        anstream::eprintln!("==> {name}");
        let started = Instant::now();
        step()?;
        anstream::eprintln!("==> {name}: done in {:.0} s", started.elapsed().as_secs_f64());
    }
    Ok(())
}

fn steps(root: &Path) -> Vec<Step<'_>> {
    vec![
        ("format", Box::new(|| cargo(root, &["fmt", "--all", "--check"]))),
        ("generated files: codes", Box::new(|| codes::run(root, true))),
        ("generated files: CRDs", Box::new(|| crds::check(root))),
        ("lints", Box::new(|| lints(root))),
        ("licences and sources", Box::new(|| deny(root))),
        ("guests", Box::new(|| plugins::build_all(root))),
        ("checks of guests", Box::new(|| plugins::check(root))),
        ("control plane", Box::new(|| chimera_kit::binaries::Binaries::locate().map(drop))),
        ("tests", Box::new(|| fast(root))),
        ("tests on the control plane", Box::new(|| slow(root))),
    ]
}

fn lints(root: &Path) -> Result<()> {
    cargo(root, &["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"])
}

fn deny(root: &Path) -> Result<()> {
    Tool { name: "cargo-deny", version: DENY_VERSION }.ensure(root)?;
    cargo(root, &["deny", "--log-level", "error", "check", "bans", "licenses", "sources"])
}

/// Always all packages, and only some targets of them: with other packages other features would be asked of the
/// dependencies, and half of them be built again.
fn fast(root: &Path) -> Result<()> {
    let targets = targets(root, |package| !SLOW.contains(&package))?;
    cargo(root, &[&["test", "--workspace", "--lib", "--bins"], flags(&targets).as_slice()].concat())?;
    cargo(root, &["test", "--workspace", "--doc"])
}

/// Two at a time: each has a whole control plane to itself, which takes a core while it starts; later most of them wait.
fn slow(root: &Path) -> Result<()> {
    let targets = targets(root, |package| SLOW.contains(&package))?;
    cargo(root, &[&["test", "--workspace"], flags(&targets).as_slice(), &["--", "--test-threads=2"]].concat())
}

fn flags(targets: &[String]) -> Vec<&str> {
    targets.iter().flat_map(|target| ["--test", target.as_str()]).collect()
}

/// The integration tests of some packages, by name.
fn targets(root: &Path, of: impl Fn(&str) -> bool) -> Result<Vec<String>> {
    let (ours, others): (Vec<_>, Vec<_>) = tests(root)?.into_iter().partition(|(package, _)| of(package));
    if let Some((package, test)) = ours.iter().find(|(_, test)| others.iter().any(|(_, other)| other == test)) {
        bail!("the test {test} of {package} has the name of one that runs apart from it; give it another");
    }
    Ok(ours.into_iter().map(|(_, test)| test).collect())
}

/// Package and name of each integration test.
fn tests(root: &Path) -> Result<Vec<(String, String)>> {
    let metadata = ["metadata", "--no-deps", "--format-version=1"];
    let output = chimera_kit::cargo().args(metadata).current_dir(root).output().context("failed to start cargo")?;
    ensure!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Metadata = serde_json::from_slice(&output.stdout).context("failed to read what cargo wrote")?;
    let tests = metadata.packages.into_iter().flat_map(|package| {
        let tests = package.targets.into_iter().filter(|target| target.kind.iter().any(|kind| kind == "test"));
        tests.map(move |target| (package.name.clone(), target.name))
    });
    Ok(tests.collect())
}

/// What `cargo metadata` tells, as far as it matters here.
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
    name: String,
    kind: Vec<String>,
}
