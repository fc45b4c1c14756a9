//! `cargo xtask bench noop`: reconciles of a converged cluster that find nothing to do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use chimera_e2e::operator::Operator;
use chimera_e2e::{OPERATOR_USER, cluster};
use chimera_kit::ControlPlane;
use kube::Api;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, Patch, PatchParams};
use serde_json::{Value, json};

use super::settle::{PATIENCE, settle};
use crate::demo;
use crate::process::release;

/// How to run it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many reconciles to cause
    #[arg(long, default_value_t = 50)]
    rounds: usize,
    /// Measure this program instead of building a release
    #[arg(long)]
    binary: Option<PathBuf>,
}

/// Builds a release, then measures.
pub(crate) fn run(root: &Path, args: &Args) -> Result<()> {
    let binary = args.binary.clone().map_or_else(|| release(root), Ok)?;
    let runtime = tokio::runtime::Runtime::new().context("failed to start the async runtime")?;
    runtime.block_on(measure(root, &binary, args.rounds))
}

async fn measure(root: &Path, binary: &Path, rounds: usize) -> Result<()> {
    let cluster = cluster::with_crds(3).await?;
    let level = "info,chimera_operator::controllers::driver=debug";
    let operator = Operator::start_binary(binary, &cluster, &["--log-format=json", "--log-level", level])?;
    demo::apply_sample(root, &cluster).await?;
    cluster::wait_available(&cluster).await.with_context(|| operator.log())?;
    settle(&cluster).await?;
    let writes = || async { anyhow::Ok(cluster.audit().await?.writes_by(OPERATOR_USER).len()) };
    let (before, mut seen) = (writes().await?, operator.log().len());
    let mut times: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
    for round in 0..rounds {
        touch(&cluster, round).await?;
        let reconciled = || async {
            let found = durations(operator.log().get(seen..).unwrap_or_default());
            Ok(["installation", "ippools"].iter().all(|name| found.iter().any(|(c, _)| c == name)).then_some(()))
        };
        cluster.wait_for("both controllers to reconcile", PATIENCE, reconciled).await?;
        let log = operator.log();
        for (controller, took) in durations(log.get(seen..).unwrap_or_default()) {
            times.entry(controller).or_default().push(took);
        }
        seen = log.len();
    }
    print(times, writes().await? - before);
    operator.stop().await?;
    cluster.stop().await
}

/// A change of the Installation that means nothing, so that everything is read, worked out and compared.
async fn touch(cluster: &ControlPlane, round: usize) -> Result<()> {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("operator.tigera.io", "v1", "Installation"));
    let api: Api<DynamicObject> = Api::all_with(cluster.client(), &resource);
    let patch = Patch::Merge(json!({"metadata": {"annotations": {"example.com/round": round.to_string()}}}));
    api.patch("default", &PatchParams::default(), &patch).await.context("failed to touch the Installation")?;
    Ok(())
}

/// Controller and time of each reconcile that a log tells of.
fn durations(log: &str) -> Vec<(String, Duration)> {
    let one = |line: &str| {
        let line: Value = serde_json::from_str(line).ok().filter(|line: &Value| line["message"] == "reconciled")?;
        let text = |pointer: &str| line.pointer(pointer)?.as_str();
        Some((text("/span/controller")?.to_owned(), duration(text("/took")?)?))
    };
    log.lines().filter_map(one).collect()
}

/// As `Duration` prints itself: `1.25ms`, `830.1µs`.
fn duration(text: &str) -> Option<Duration> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
    let (number, unit) = text.split_at(end);
    let factor = match unit {
        "s" => 1.0,
        "ms" => 1e-3,
        "µs" => 1e-6,
        "ns" => 1e-9,
        _ => return None,
    };
    Some(Duration::from_secs_f64(number.parse::<f64>().ok()? * factor))
}

fn print(times: BTreeMap<String, Vec<Duration>>, writes: usize) {
    for (controller, mut times) in times {
        times.sort();
        let millis = |at: usize| times.get(at.min(times.len() - 1)).map_or(0.0, |time| time.as_secs_f64() * 1000.0);
        let (median, high, most) = (millis(times.len() / 2), millis(times.len() * 9 / 10), millis(times.len() - 1));
        anstream::println!(
            "{controller}: {} reconciles, median {median:.2} ms, p90 {high:.2} ms, most {most:.2} ms",
            times.len()
        );
    }
    anstream::println!("API writes: {writes}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_durations_print_themselves() {
        for time in
            [Duration::from_nanos(7), Duration::from_micros(830), Duration::from_millis(12), Duration::from_secs(3)]
        {
            assert_eq!(duration(&format!("{time:?}")), Some(time));
        }
        let line = r#"{"message":"reconciled","took":"1.5ms","span":{"controller":"ippools","name":"reconcile"}}"#;
        assert_eq!(durations(line), [("ippools".to_owned(), Duration::from_micros(1500))]);
    }
}
