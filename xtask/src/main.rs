//! `cargo xtask …`: the one developer interface. One file a subcommand; this one only dispatches.

mod bench;
mod charts;
mod codes;
mod controlplane;
mod crds;
mod demo;
mod generated;
mod plugins;
mod process;
mod release;
mod soak;
mod table;
mod test;

use clap::{Parser, Subcommand};

/// Builds, tests and tries out the project.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure
    Bench(bench::Args),
    /// Render upstream charts with Helm and pack what they come to for the operator
    Charts(charts::Args),
    /// Generate the constants and the docs page of the message codes
    Codes {
        /// Fail if a committed file is out of date, write nothing
        #[arg(long)]
        check: bool,
    },
    /// Build the test control plane into the cache, or run one
    Controlplane(controlplane::Args),
    /// Generate the CRDs from the Rust types
    Crds(crds::Args),
    /// Show the operator with a plugin on a control plane of its own
    Demo(demo::Args),
    /// Build guests as components into plugins/ of the target folder
    Plugins(plugins::Args),
    /// Build the operator as it is released, with its charts embedded
    Release(release::Args),
    /// Test for longer than CI can; without a name, list the names
    Soak(soak::Args),
    /// Run everything that CI runs
    Test,
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Bench(args) => bench::run(root(), &args),
        Command::Charts(args) => charts::run(&args),
        Command::Codes { check } => codes::run(root(), check),
        Command::Controlplane(args) => controlplane::run(args),
        Command::Crds(args) => crds::run(root(), &args),
        Command::Demo(args) => demo::run(root(), &args),
        Command::Plugins(args) => plugins::run(root(), &args),
        Command::Release(args) => release::run(root(), &args),
        Command::Soak(args) => soak::run(root(), &args),
        Command::Test => test::run(root()),
    }
}

/// The workspace's folder.
fn root() -> &'static std::path::Path {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(std::path::Path::new("."))
}
