//! `cargo xtask soak …`: tests that take longer than CI can; each has a short form among the tests.

mod quiesce;

use std::path::Path;

use anyhow::Result;

/// What to run.
#[derive(clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// A converged cluster, looked over again and again: nothing may be written
    Quiesce(quiesce::Args),
}

/// Runs it; an error is a failed test.
pub(crate) fn run(root: &Path, args: &Args) -> Result<()> {
    match &args.what {
        What::Quiesce(args) => quiesce::run(root, args),
    }
}
