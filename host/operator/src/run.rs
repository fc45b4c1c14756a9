//! `chimera run`: connects, leads, and runs the controllers until told to stop.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use kube::Client;
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use crate::args::RunArgs;
use crate::env::Machine;
use crate::leader::Candidate;
use crate::metrics::Metrics;
use crate::probes::Probes;
use crate::vitals::Stage;
use crate::{client, controllers, meter, server, shutdown, telemetry};

/// Time for giving the lease back; it expires soon after that anyway.
const FAREWELL: Duration = Duration::from_secs(5);

/// Runs the operator; exits with 0 when it was told to stop, with 2 when it could not go on.
pub fn main(args: RunArgs) -> ExitCode {
    if let Err(error) = telemetry::start(args.log_format, &args.log_level) {
        anstream::eprintln!("error: --log-level {}: {error}", args.log_level);
        return ExitCode::from(2);
    }
    match start(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            error!("{error:#}");
            ExitCode::from(2)
        }
    }
}

fn start(args: RunArgs) -> Result<()> {
    // One thread serves everything: the operator waits far more than it computes, and threads cost memory. Plugins and
    // compilation run beside it on the blocking pool.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(4)
        .build()
        .context("failed to start the runtime")?;
    let result = runtime.block_on(run(args));
    // A plugin that still computes must not hold the process.
    runtime.shutdown_background();
    result
}

async fn run(args: RunArgs) -> Result<()> {
    if let Some(folder) = args.plugin_dir.as_deref().filter(|folder| !folder.is_dir()) {
        anyhow::bail!("--plugin-dir {}: there is no such folder; create it, or leave the flag out", folder.display());
    }
    let stop = shutdown::token().context("failed to listen for signals")?;
    let metrics = Arc::new(Metrics::default());
    let client = meter::around(client::connect(args.kubeconfig.as_deref()).await?, &metrics);
    info!(version = env!("CARGO_PKG_VERSION"), "starting");
    serve(&args, &client, &metrics, &stop).await?;
    let result = lead(client, &args, metrics, identity(), Machine::default(), &stop).await;
    stop.cancel();
    result
}

async fn serve(args: &RunArgs, client: &Client, metrics: &Arc<Metrics>, stop: &CancellationToken) -> Result<()> {
    if let Some(address) = args.health_probe_bind_address.0 {
        let probes = Probes::new(client.clone(), Arc::clone(metrics), args.calico_api_group.as_deref())?;
        tokio::spawn(server::health(address, probes, stop.clone()).await?);
    }
    if let Some(address) = args.metrics_bind_address.0 {
        tokio::spawn(server::metrics(address, Arc::clone(metrics), stop.clone()).await?);
    }
    Ok(())
}

/// Acts only while holding the lease, and gives it back when it leaves.
///
/// # Errors
/// If the lease is lost or the controllers cannot go on.
pub async fn lead(
    client: Client,
    args: &RunArgs,
    metrics: Arc<Metrics>,
    identity: String,
    machine: Machine,
    stop: &CancellationToken,
) -> Result<()> {
    if !args.leader_elect {
        metrics.leads(true);
        return tokio::select! {
            () = stop.cancelled() => Ok(()),
            result = controllers::run(client, args, metrics, identity, machine) => result,
        };
    }
    metrics.vitals().enter(Stage::StandsBy);
    let mut candidate = Candidate::new(client.clone(), &args.namespace, identity.clone(), Arc::clone(&machine.clock));
    tokio::select! {
        () = stop.cancelled() => return Ok(()),
        () = candidate.acquire() => info!(identity, "leading"),
    }
    metrics.leads(true);
    metrics.vitals().enter(Stage::Starting);
    let client = candidate.fence().around(client);
    let (result, held) = tokio::select! {
        () = stop.cancelled() => (Ok(()), true),
        result = controllers::run(client, args, metrics, identity, machine) => (result, true),
        () = candidate.hold() => (Err(anyhow::anyhow!("lost the lease {}; ending so that only its holder acts", crate::leader::LEASE)), false),
    };
    // Leaving for any other reason than having lost it, so that the next process need not wait.
    if held && tokio::time::timeout(FAREWELL, candidate.release()).await.is_err() {
        warn!(lease = crate::leader::LEASE, "failed to give the lease back in time; it expires by itself");
    }
    result
}

/// A name that no other process has: the pod's, and the process's own number. On the host's network `HOSTNAME` is the
/// node's, so the pod says its name.
fn identity() -> String {
    let named = ["POD_NAME", "HOSTNAME"].into_iter().filter_map(|name| std::env::var(name).ok());
    let host = named.into_iter().find(|name| !name.is_empty()).unwrap_or_else(|| "chimera".into());
    format!("{host}_{}", std::process::id())
}
