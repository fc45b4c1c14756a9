//! `cargo xtask test`: everything that CI runs, cheap checks first, the real control plane last.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;

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

fn fast(root: &Path) -> Result<()> {
    let excluded: Vec<_> = SLOW.iter().flat_map(|package| ["--exclude", package]).collect();
    cargo(root, &[&["test", "--workspace"], excluded.as_slice()].concat())
}

/// One test at a time in each: they share two cores with a whole control plane.
fn slow(root: &Path) -> Result<()> {
    let packages: Vec<_> = SLOW.iter().flat_map(|package| ["--package", package]).collect();
    cargo(root, &[&["test"], packages.as_slice(), &["--", "--test-threads=1"]].concat())
}
