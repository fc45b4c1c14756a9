//! `cargo xtask soak quiesce`: the long form of the test in `tests/e2e/tests/e2e/quiescence.rs`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use chimera_e2e::operator::{self, Operator};
use chimera_e2e::quiesce::Subject;
use chimera_e2e::{cluster, metrics};

/// How to run it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How long the converged cluster is watched
    #[arg(long, default_value_t = 10)]
    minutes: u32,
    /// How often something that is not the operator's business makes it look the cluster over
    #[arg(long, default_value_t = 1000)]
    reconciles: u32,
    /// Number of simulated nodes
    #[arg(long, default_value_t = 3)]
    nodes: usize,
    /// With APIServer, Goldmane and Whisker
    #[arg(long)]
    all: bool,
    /// Run this program instead of building one for tests
    #[arg(long)]
    binary: Option<PathBuf>,
}

/// Fails if anything was written.
pub(crate) fn run(_: &Path, args: &Args) -> Result<()> {
    let binary = args.binary.clone().map_or_else(operator::binary, Ok)?;
    let runtime = tokio::runtime::Runtime::new().context("failed to start the async runtime")?;
    runtime.block_on(soak(&binary, args))
}

async fn soak(binary: &Path, args: &Args) -> Result<()> {
    let cluster = cluster::with_crds(args.nodes).await?;
    let address = metrics::free_address()?;
    let operator = Operator::start_binary(binary, &cluster, &[&format!("--metrics-bind-address={address}")])?;
    let subject = Subject { cluster: &cluster, operator: &operator, metrics: address };
    subject.converge().await?;
    if args.all {
        subject.converge_with_all().await?;
    }
    anstream::eprintln!("the cluster is at rest; {} touches in {} minutes follow", args.reconciles, args.minutes);
    let rest = subject.rest(args.reconciles, Duration::from_secs(60) * args.minutes).await?;
    anstream::println!("{} reconciles, {} writes", rest.reconciles, rest.writes.len());
    rest.assert_quiet(args.reconciles.into())?;
    operator.stop().await?;
    cluster.stop().await
}
