//! `cargo xtask bench …`: measures. Nothing here passes or fails by time; the figures are for people.

mod install;
mod nodes;
mod noop;
mod process;
mod quiesce;
mod render;
mod settle;

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
    /// Validating and rendering in the process itself, the slowest cases first
    Render,
    /// Reconciles of a converged cluster that find nothing to do: time and writes
    Noop(noop::Args),
    /// Writes, CPU and memory of a converged cluster while nothing happens
    Quiesce(quiesce::Args),
    /// Resident memory on a small and on a large cluster
    Nodes(nodes::Args),
}

/// Measures.
pub(crate) fn run(root: &Path, args: &Args) -> Result<()> {
    match &args.what {
        What::Install(args) => install::run(root, args),
        What::Render => render::run(root),
        What::Noop(args) => noop::run(root, args),
        What::Quiesce(args) => quiesce::run(root, args),
        What::Nodes(args) => nodes::run(root, args),
    }
}
