//! `cargo xtask bench quiesce`: what a converged cluster costs while nothing happens.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use chimera_e2e::operator::Operator;
use chimera_e2e::{OPERATOR_USER, cluster};

use super::process::{Usage, usage};
use super::settle::settle;
use crate::demo;
use crate::process::release;

/// How to run it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How long to measure
    #[arg(long, default_value_t = 10)]
    minutes: u32,
    /// Number of simulated nodes
    #[arg(long, default_value_t = 3)]
    nodes: usize,
    /// Measure this program instead of building a release
    #[arg(long)]
    binary: Option<PathBuf>,
}

/// Builds a release, then measures.
pub(crate) fn run(root: &Path, args: &Args) -> Result<()> {
    let binary = args.binary.clone().map_or_else(|| release(root), Ok)?;
    let runtime = tokio::runtime::Runtime::new().context("failed to start the async runtime")?;
    runtime.block_on(measure(root, &binary, args))
}

async fn measure(root: &Path, binary: &Path, args: &Args) -> Result<()> {
    let cluster = cluster::with_crds(args.nodes).await?;
    let operator = Operator::start_binary(binary, &cluster, &[])?;
    demo::apply_sample(root, &cluster).await?;
    cluster::wait_available(&cluster).await.with_context(|| operator.log())?;
    settle(&cluster).await?;
    let audit = || async { cluster.audit().await };
    let (before, used) = (audit().await?, usage(operator.pid())?);
    let span = Duration::from_secs(60) * args.minutes;
    tokio::time::sleep(span).await;
    let (after, Usage { cpu, resident, peak }) = (audit().await?, usage(operator.pid())?);
    let cpu = cpu - used.cpu;
    let writes = after.writes_by(OPERATOR_USER).len() - before.writes_by(OPERATOR_USER).len();
    let reads = after.reads_by(OPERATOR_USER).len() - before.reads_by(OPERATOR_USER).len();
    anstream::println!("{} minutes at rest on {} nodes", args.minutes, args.nodes);
    anstream::println!("  API writes (Leases not counted): {writes}");
    anstream::println!("  API reads (watches not counted): {reads}");
    anstream::println!("  CPU seconds: {cpu:.2} ({:.2} % of one core)", 100.0 * cpu / span.as_secs_f64());
    anstream::println!("  resident memory, MiB: {resident:.1} (peak {peak:.1})");
    operator.stop().await?;
    cluster.stop().await
}
