//! `cargo xtask release`: builds the operator as it is released, with the charts that it is given.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use crate::charts::{self, Inputs};
use crate::process::target;

/// Arguments of the subcommand. Version and registry of the images come from the environment (`CALICO_VERSION`,
/// `CALICO_REGISTRY`, `CALICO_IMAGE_PATH`).
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    charts: Inputs,
}

pub(crate) fn run(root: &Path, args: &Args) -> Result<()> {
    let target = target(root);
    let packed = charts::pack(&args.charts, &target.join("charts"))?;
    let mut cargo = chimera_kit::cargo();
    cargo.args(["build", "--release", "--locked", "--package", "chimera-operator", "--bin", "chimera"]);
    cargo.current_dir(root).env("CHIMERA_RELEASE", "1");
    for charts in chimera_core::charts::Charts::ALL {
        match packed.iter().find(|(packed, _)| *packed == charts) {
            Some((_, path)) => drop(cargo.env(charts.variable(), path)),
            None => {
                cargo.env_remove(charts.variable());
                anstream::eprintln!("without {}: what needs it will be Degraded", charts.input());
            }
        }
    }
    let status = cargo.status().context("failed to start cargo")?;
    ensure!(status.success(), "cargo build --release failed");
    anstream::eprintln!("built {}", target.join("release/chimera").display());
    Ok(())
}
