//! `cargo xtask controlplane`: builds the test control plane; `up` keeps one running.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use chimera_kit::ControlPlane;
use chimera_kit::binaries::Binaries;
use clap::Subcommand;
use tokio::signal::unix::{SignalKind, signal};

/// What to do with the control plane; without a subcommand it is built and its programs are listed.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Keep one running until Ctrl-C
    Up {
        /// Number of simulated nodes; 3, or those that are in the etcd data
        #[arg(long)]
        nodes: Option<usize>,
        /// An etcd data directory to start from; a copy is used
        #[arg(long, value_name = "DIRECTORY")]
        etcd_data: Option<PathBuf>,
    },
}

pub(crate) fn run(args: Args) -> Result<()> {
    match args.command {
        None => list(),
        Some(Command::Up { nodes, etcd_data }) => {
            let runtime = tokio::runtime::Runtime::new().context("failed to start the async runtime")?;
            let nodes = nodes.unwrap_or(if etcd_data.is_some() { 0 } else { 3 });
            runtime.block_on(up(nodes, etcd_data))
        }
    }
}

fn list() -> Result<()> {
    for (name, path) in Binaries::locate()?.iter() {
        writeln!(anstream::stdout(), "{name} {}", path.display())?;
    }
    Ok(())
}

async fn up(nodes: usize, etcd_data: Option<PathBuf>) -> Result<()> {
    let mut builder = ControlPlane::builder().nodes(nodes);
    if let Some(path) = etcd_data {
        builder = builder.etcd_data(path);
    }
    let cluster = builder.start().await?;
    // Until here a signal ends the process at once, and the watchdog of the kit cleans up.
    let mut terminate = signal(SignalKind::terminate()).context("failed to listen for SIGTERM")?;
    let logs = cluster.dir().join("logs");
    writeln!(anstream::stdout(), "export KUBECONFIG={}", cluster.kubeconfig_path().display())?;
    writeln!(anstream::stderr(), "running at {} until Ctrl-C; logs are in {}", cluster.url(), logs.display())?;
    tokio::select! {
        result = tokio::signal::ctrl_c() => result.context("failed to listen for Ctrl-C")?,
        _ = terminate.recv() => {}
        ended = cluster.until_failure() => return Err(ended),
    }
    cluster.stop().await
}
