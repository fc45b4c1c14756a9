//! `cargo xtask bench install`: a fresh install on the control plane.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use chimera_e2e::operator::Operator;
use chimera_e2e::{OPERATOR_USER, cluster, operator};
use chimera_kit::{AuditEvent, ControlPlane};

use super::process::{Usage, usage};
use super::settle::{PATIENCE, settle};
use crate::process::release;
use crate::{demo, plugins};

/// How to run it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many times, each on a control plane of its own
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// Number of simulated nodes
    #[arg(long, default_value_t = 3)]
    nodes: usize,
    /// With APIServer, Goldmane and Whisker
    #[arg(long)]
    all: bool,
    /// Measure this program instead of building a release
    #[arg(long)]
    binary: Option<PathBuf>,
}

struct Figures {
    writes: BTreeMap<String, usize>,
    reads: BTreeMap<String, usize>,
    seconds: f64,
    usage: Usage,
}

/// Builds a release, then measures.
pub(crate) fn run(root: &Path, args: &Args) -> Result<()> {
    let binary = args.binary.clone().map_or_else(|| release(root), Ok)?;
    plugins::build(root, &["labels".to_owned()])?;
    let runtime = tokio::runtime::Runtime::new().context("failed to start the async runtime")?;
    for number in 1..=args.runs {
        print(number, &runtime.block_on(measure(root, &binary, args))?);
    }
    Ok(())
}

async fn measure(root: &Path, binary: &Path, args: &Args) -> Result<Figures> {
    let cluster = cluster::with_crds(args.nodes).await?;
    let folder = demo::plugin_folder(root, &cluster)?;
    warm(binary, &folder)?;
    let operator = Operator::start_binary(binary, &cluster, &["--plugin-dir", &folder])?;
    let log = || operator.log();
    cluster
        .wait_for("the operator to lead", PATIENCE, || async { Ok(log().contains("leading").then_some(())) })
        .await?;
    let before = cluster.audit().await?;
    let following = if args.all { demo::FOLLOWING.as_slice() } else { &[] };
    demo::apply_sample(root, &cluster).await?;
    for (_, sample) in following {
        demo::apply(root, &cluster, sample).await?;
    }
    cluster::wait_available(&cluster).await.with_context(|| operator.log())?;
    for (status, _) in following {
        cluster::wait_condition(&cluster, status, "Available").await.with_context(|| operator.log())?;
    }
    settle(&cluster).await?;
    let figures = figures(&cluster, before.len(), usage(operator.pid())?).await?;
    operator.stop().await?;
    cluster.stop().await?;
    Ok(figures)
}

/// Fills the compile cache, as after any earlier start.
fn warm(binary: &Path, folder: &str) -> Result<()> {
    let file = std::fs::File::open(PathBuf::from(folder).join("labels.wasm")).context("failed to open the plugin")?;
    let status = std::process::Command::new(binary)
        .args(["compile-plugin", "--cache-dir"])
        .arg(operator::cache_dir()?)
        .stdin(file)
        .status()
        .context("failed to run chimera compile-plugin")?;
    ensure!(status.success(), "chimera compile-plugin failed");
    Ok(())
}

async fn figures(cluster: &ControlPlane, before: usize, usage: Usage) -> Result<Figures> {
    let all = cluster.audit().await?;
    let applied =
        all.iter().skip(before).find(|event| event.resource == "installations" && event.user != OPERATOR_USER);
    let applied = applied.context("the audit log lacks the Installation")?.timestamp.clone();
    let writes = all.writes_by(OPERATOR_USER);
    let last = writes.iter().map(|event| event.timestamp.0).max().context("the operator wrote nothing")?;
    Ok(Figures {
        seconds: last.duration_since(applied.0).as_secs_f64(),
        writes: by_verb(writes.iter()),
        reads: by_verb(all.reads_by(OPERATOR_USER).iter()),
        usage,
    })
}

fn by_verb<'a>(events: impl Iterator<Item = &'a AuditEvent>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for event in events {
        *counts.entry(event.verb.clone()).or_default() += 1;
    }
    counts
}

fn print(number: usize, figures: &Figures) {
    let list = |counts: &BTreeMap<String, usize>| {
        let parts: Vec<_> = counts.iter().map(|(verb, count)| format!("{count} {verb}")).collect();
        format!("{} ({})", counts.values().sum::<usize>(), parts.join(", "))
    };
    let Figures { writes, reads, seconds, usage: Usage { cpu, resident, peak } } = figures;
    anstream::println!("run {number}");
    anstream::println!("  API writes (Events counted, Leases not): {}", list(writes));
    anstream::println!("  API reads: {}", list(reads));
    anstream::println!("  seconds from applying the Installation to the last write: {seconds:.1}");
    anstream::println!("  CPU seconds since the start: {cpu:.2}");
    anstream::println!("  resident memory, MiB: {resident:.1} (peak {peak:.1})");
}
