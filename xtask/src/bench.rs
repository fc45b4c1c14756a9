//! `cargo xtask bench …`: measures. Nothing here passes or fails by time; the figures are for people.

mod install;
mod process;

use std::path::Path;

use anyhow::Result;

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// A fresh install: API writes and reads, seconds, CPU and memory
    Install(install::Args),
}

/// Measures.
pub(crate) fn run(root: &Path, args: &Args) -> Result<()> {
    match &args.what {
        What::Install(args) => install::run(root, args),
    }
}
