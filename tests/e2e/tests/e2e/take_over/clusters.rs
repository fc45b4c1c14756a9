//! Clusters as the Go operator left them, as data of etcd.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use chimera_e2e::cluster::{self, DEADLINE};
use chimera_e2e::operator::Operator;
use chimera_e2e::{compare, writes};
use chimera_kit::ControlPlane;
use serde_json::Value;

use super::changes::{self, Snapshot};

/// Without a write for this long the operator is taken to be done.
const QUIET: Duration = Duration::from_secs(8);
/// How long a restarted operator is watched: longer than its start and its first reconcile take.
const AFTER_RESTART: Duration = Duration::from_secs(15);

/// Takes one of them over, by its name; true if it is at hand.
async fn taken_over(name: &str, flags: &[&str]) -> Result<()> {
    let Some(archive) = archive(name) else {
        eprintln!("the cluster {name} is not at hand; the take-over of a made-up one is tested all the same");
        return Ok(());
    };
    let folder = unpack(&archive)?;
    let cluster = ControlPlane::builder().etcd_data(folder.path()).start().await?;
    let managed = flags.contains(&"--manage-crds");
    if !managed {
        cluster::apply_crds(&cluster, "v1").await?;
    }
    check(&cluster, name, flags).await?;
    cluster.stop().await
}

pub(crate) async fn check(cluster: &ControlPlane, name: &str, flags: &[&str]) -> Result<()> {
    Operator::admit(cluster, flags)?;
    let before = Snapshot::take(cluster).await?;
    let operator = Operator::start(cluster, flags)?;
    remembered(cluster).await.with_context(|| operator.log())?;
    cluster::wait_available(cluster).await.with_context(|| operator.log())?;
    for status in others(&before) {
        cluster::wait_condition(cluster, &status, "Available").await.with_context(|| operator.log())?;
    }
    writes::quiet(cluster, "the last writes of the take-over", QUIET).await.with_context(|| operator.log())?;
    let took = writes::by_kind(cluster, 0).await?;
    eprintln!("{name}: taking over wrote {took:?}");
    let after = Snapshot::take(cluster).await?;
    let different = changes::forbidden(&before, &after);
    ensure!(different.is_empty(), "{name}: taking over changed\n{}\nwrites: {took:?}", different.join("\n"));
    ensure!(operator.stop().await?.success(), "the operator did not end well");

    let restarted = Operator::start(cluster, flags)?;
    writes::none_within(cluster, AFTER_RESTART).await.with_context(|| format!("{name}\n{}", restarted.log()))?;
    ensure!(restarted.log().contains("leading"), "it did not lead again:\n{}", restarted.log());
    ensure!(restarted.stop().await?.success(), "the restarted operator did not end well");
    Ok(())
}

/// Waits until the operator has written what it chose: until then nothing tells its work from the Go operator's.
async fn remembered(cluster: &ControlPlane) -> Result<()> {
    let client = cluster.client();
    cluster
        .wait_for("status.defaults of the Installation", DEADLINE, || {
            let client = client.clone();
            async move {
                let found = cluster::get(&client, "operator.tigera.io/v1", "Installation", None, "default").await?;
                Ok(found.and_then(|found| found.pointer("/status/defaults").map(Value::is_object)).filter(|is| *is))
            }
        })
        .await
        .map(drop)
}

/// Names of each TigeraStatus that says what a resource beside the Installation brought.
fn others(before: &Snapshot) -> Vec<String> {
    let names = [("APIServer", "apiserver"), ("APIServer", "tiers"), ("Goldmane", "goldmane"), ("Whisker", "whisker")];
    names.into_iter().filter(|(kind, _)| before.has(kind)).map(|(_, status)| status.to_owned()).collect()
}

fn archive(name: &str) -> Option<PathBuf> {
    let archive = compare::goldens()?.join("clusters").join(format!("{name}.tar.zst"));
    archive.is_file().then_some(archive)
}

fn unpack(archive: &Path) -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir().context("failed to make a folder")?;
    let status = Command::new("tar").arg("--zstd").arg("-xf").arg(archive).arg("-C").arg(folder.path()).status();
    let status = status.context("failed to run tar")?;
    ensure!(status.success(), "failed to unpack {}", archive.display());
    Ok(folder)
}

/// One test a cluster, so that they run side by side and are named.
macro_rules! clusters {
    ($($test:ident: $name:literal $flags:expr;)*) => {
        $(
            #[tokio::test]
            async fn $test() {
                if let Err(error) = taken_over($name, $flags).await {
                    panic!("{error:#}");
                }
            }
        )*
    };
}

clusters! {
    a_default_cluster_is_taken_over: "default" &["--manage-crds"];
    a_cluster_with_ebpf_is_taken_over: "bpf" &[];
    a_dual_stack_cluster_is_taken_over: "dual-stack" &[];
    a_cluster_with_overrides_is_taken_over: "overrides-node" &[];
    an_eks_cluster_with_calico_cni_is_taken_over: "eks-calico-cni" &[];
    a_cluster_with_every_component_is_taken_over: "goldmane-whisker" &[];
    a_cluster_with_metrics_and_resources_is_taken_over: "metrics-resources-strategy" &[];
}
