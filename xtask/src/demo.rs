//! `cargo xtask demo`: the operator with a plugin on a control plane of its own, from nothing, in one command.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use chimera_e2e::operator::Operator;
use chimera_e2e::{cluster, operator};
use chimera_kit::ControlPlane;
use tokio::signal::unix::{SignalKind, signal};

use crate::{plugins, table};

const SAMPLE: &str = "crds/samples/installation.yaml";
/// What follows from the Installation, which is applied after them: so calico-node knows of them when it first starts.
pub(crate) const FOLLOWING: [(&str, &str); 3] = [
    ("apiserver", "crds/samples/apiserver.yaml"),
    ("goldmane", "crds/samples/goldmane.yaml"),
    ("whisker", "crds/samples/whisker.yaml"),
];
const SETTINGS: &str = "plugins/examples/labels/labels.yaml";

/// Between two looks whether the operator still runs.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// How to run it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Leave when everything is Available instead of waiting for Ctrl-C
    #[arg(long)]
    exit: bool,
    /// Number of simulated nodes
    #[arg(long, default_value_t = 3)]
    nodes: usize,
}

/// Runs the demo.
pub(crate) fn run(root: &Path, args: &Args) -> Result<()> {
    step("building the operator");
    let binary = operator::binary()?;
    step("building the example plugin");
    plugins::build(root, &["labels".to_owned()])?;
    tokio::runtime::Runtime::new().context("failed to start the async runtime")?.block_on(show(root, &binary, args))
}

async fn show(root: &Path, binary: &Path, args: &Args) -> Result<()> {
    // Listened to before anything starts, so that Ctrl-C never leaves something behind.
    let mut terminate = signal(SignalKind::terminate()).context("failed to listen for SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("failed to listen for Ctrl-C")?;
    let interrupted = async {
        tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
    };
    tokio::pin!(interrupted);
    let (cluster, mut operator) = tokio::select! {
        started = bring_up(root, binary, args) => started?,
        () = &mut interrupted => return Ok(()),
    };
    print(root, binary, &cluster).await?;
    if args.exit {
        ensure!(operator.alive(), "the operator ended:\n{}", operator.log());
    } else {
        step("running until Ctrl-C");
        tokio::select! {
            () = interrupted => {}
            () = ended(&mut operator) => bail!("the operator ended by itself; its log:\n{}", operator.log()),
        }
    }
    operator.stop().await?;
    cluster.stop().await
}

/// Returns once the operator's process is gone.
async fn ended(operator: &mut Operator) {
    while operator.alive() {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

async fn bring_up(root: &Path, binary: &Path, args: &Args) -> Result<(ControlPlane, Operator)> {
    step(&format!("starting a control plane with {} nodes", args.nodes));
    let cluster = ControlPlane::builder().nodes(args.nodes).start().await?;
    cluster.apply_yaml("{apiVersion: v1, kind: Namespace, metadata: {name: tigera-operator}}").await?;
    step("starting the operator with the plugin `labels`; it installs the CustomResourceDefinitions");
    let folder = plugin_folder(root, &cluster)?;
    let operator = Operator::start_binary(binary, &cluster, &["--manage-crds", "--plugin-dir", &folder])?;
    for (_, sample) in FOLLOWING {
        apply(root, &cluster, sample).await?;
    }
    let started = Instant::now();
    apply_sample(root, &cluster).await?;
    step("applied the samples of Installation, APIServer, Goldmane and Whisker; waiting for TigeraStatus");
    let log = || format!("the operator's log:\n{}", operator.log());
    cluster::wait_available(&cluster).await.with_context(log)?;
    for (status, _) in FOLLOWING {
        cluster::wait_condition(&cluster, status, "Available").await.with_context(log)?;
    }
    step(&format!("Available after {:.1} s", started.elapsed().as_secs_f64()));
    Ok((cluster, operator))
}

/// The plugin and its settings, in a folder that goes with the control plane.
pub(crate) fn plugin_folder(root: &Path, cluster: &ControlPlane) -> Result<String> {
    let folder = cluster.dir().join("plugins");
    std::fs::create_dir_all(&folder).context("failed to make the plugin folder")?;
    std::fs::copy(operator::guest("labels")?, folder.join("labels.wasm")).context("failed to copy the plugin")?;
    std::fs::copy(root.join(SETTINGS), folder.join("labels.yaml"))
        .with_context(|| format!("failed to copy {SETTINGS}"))?;
    Ok(folder.display().to_string())
}

/// The API server takes the Installation once it serves its CustomResourceDefinition.
pub(crate) async fn apply_sample(root: &Path, cluster: &ControlPlane) -> Result<()> {
    apply(root, cluster, SAMPLE).await
}

pub(crate) async fn apply(root: &Path, cluster: &ControlPlane, sample: &str) -> Result<()> {
    let what = format!("{sample} to be accepted");
    let sample = std::fs::read_to_string(root.join(sample)).with_context(|| format!("failed to read {sample}"))?;
    let deadline = Duration::from_secs(60);
    cluster.wait_for(&what, deadline, || async { Ok(cluster.apply_yaml(&sample).await.ok().map(drop)) }).await
}

async fn print(root: &Path, binary: &Path, cluster: &ControlPlane) -> Result<()> {
    let client = cluster.client();
    let tables = [
        ("tigerastatus", "/apis/operator.tigera.io/v1/tigerastatuses"),
        ("pods -n calico-system", "/api/v1/namespaces/calico-system/pods"),
    ];
    for (what, path) in tables {
        anstream::println!("\n$ kubectl get {what}\n{}", table::get(&client, path).await?);
    }
    anstream::println!("Fields that the plugin set:\n{}", origins(root, binary)?);
    anstream::println!("export KUBECONFIG={}", cluster.kubeconfig_path().display());
    Ok(())
}

/// What the operator itself says, offline, with the same input and plugin.
fn origins(root: &Path, binary: &Path) -> Result<String> {
    let folder = tempfile::tempdir().context("failed to make a folder")?;
    let plugin = folder.path().join("labels.wasm");
    std::fs::copy(operator::guest("labels")?, &plugin).context("failed to copy the plugin")?;
    std::fs::copy(root.join(SETTINGS), folder.path().join("labels.yaml")).context("failed to copy the settings")?;
    let output = std::process::Command::new(binary)
        .args(["render", "--output", "origins", "--filename"])
        .arg(root.join(SAMPLE))
        .arg("--plugin")
        .arg(plugin)
        .output()
        .context("failed to run chimera render")?;
    ensure!(output.status.success(), "chimera render: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn step(text: &str) {
    anstream::eprintln!("==> {text}");
}
