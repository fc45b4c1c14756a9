//! `cargo xtask bench nodes`: what a large cluster costs in memory.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use chimera_e2e::cluster;
use chimera_e2e::operator::Operator;

use super::process::{Usage, usage};
use crate::demo;
use crate::process::release;

/// After the rollout: what was only needed for it has been given back by then.
const REST: Duration = Duration::from_secs(30);

/// How to run it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Number of simulated nodes of the small cluster
    #[arg(long, default_value_t = 3)]
    few: usize,
    /// Number of simulated nodes of the large cluster
    #[arg(long, default_value_t = 1000)]
    many: usize,
    /// Only start on the large cluster, as after an upgrade of the operator: no Installation, so no pods
    #[arg(long)]
    bare: bool,
    /// Measure this program instead of building a release
    #[arg(long)]
    binary: Option<PathBuf>,
}

/// Builds a release, then measures.
pub(crate) fn run(root: &Path, args: &Args) -> Result<()> {
    let binary = args.binary.clone().map_or_else(|| release(root), Ok)?;
    let runtime = tokio::runtime::Runtime::new().context("failed to start the async runtime")?;
    let measure = |nodes| runtime.block_on(measure(root, &binary, nodes, args.bare));
    let (few, many) = (measure(args.few)?, measure(args.many)?);
    for (nodes, Usage { cpu, resident, peak }) in [(args.few, few), (args.many, many)] {
        anstream::println!("{nodes} nodes: resident {resident:.1} MiB (peak {peak:.1}), CPU {cpu:.2} s");
    }
    anstream::println!("growth of resident memory: {:.1} MiB", many.resident - few.resident);
    Ok(())
}

/// After the whole rollout, with every pod of every node.
async fn measure(root: &Path, binary: &Path, nodes: usize, bare: bool) -> Result<Usage> {
    let cluster = cluster::with_crds(nodes).await?;
    let operator = Operator::start_binary(binary, &cluster, &[])?;
    if !bare {
        demo::apply_sample(root, &cluster).await?;
        rolled_out(&cluster, nodes).await.with_context(|| operator.log())?;
    }
    // Not by the audit log: with that many nodes it is too long to be read again and again.
    tokio::time::sleep(REST).await;
    let used = usage(operator.pid())?;
    operator.stop().await?;
    cluster.stop().await?;
    Ok(used)
}

/// Kubernetes itself makes some tens of pods a second at most.
async fn rolled_out(cluster: &chimera_kit::ControlPlane, nodes: usize) -> Result<()> {
    let deadline = cluster::DEADLINE + Duration::from_millis(600) * u32::try_from(nodes)?;
    let client = cluster.client();
    let available = || async {
        let found = cluster::condition(&client, "calico", "Available").await?;
        Ok(found.filter(|(status, ..)| status == "True").map(drop))
    };
    cluster.wait_for("the rollout", deadline, available).await
}
