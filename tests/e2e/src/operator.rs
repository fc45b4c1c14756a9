//! The operator as a process.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, ensure};
use chimera_kit::{ControlPlane, wait_for};

use crate::rights;

/// A running operator; ended when dropped.
pub struct Operator {
    child: Child,
    log: PathBuf,
}

impl Operator {
    /// Starts the operator against a control plane, with more flags of `chimera run`.
    pub fn start(cluster: &ControlPlane, flags: &[&str]) -> Result<Self> {
        Self::start_binary(&binary()?, cluster, flags)
    }

    /// As [`Operator::start`], with a binary built otherwise.
    pub fn start_binary(binary: &Path, cluster: &ControlPlane, flags: &[&str]) -> Result<Self> {
        Self::spawn(binary, cluster, flags, &[])
    }

    /// As [`Operator::start`], with more environment.
    pub fn start_with_env(cluster: &ControlPlane, flags: &[&str], env: &[(String, String)]) -> Result<Self> {
        Self::spawn(&binary()?, cluster, flags, env)
    }

    /// Gives the operator the rights that the manifests give it; a start does that by itself.
    pub fn admit(cluster: &ControlPlane, flags: &[&str]) -> Result<PathBuf> {
        let components: &[&str] = if flags.contains(&"--manage-crds") { &["manage-crds"] } else { &[] };
        let namespace = flags.iter().find_map(|flag| flag.strip_prefix("--namespace="));
        rights::grant(cluster, namespace, components)
    }

    fn spawn(binary: &Path, cluster: &ControlPlane, flags: &[&str], env: &[(String, String)]) -> Result<Self> {
        let kubeconfig = Self::admit(cluster, flags)?;
        let log = cluster.dir().join("logs").join(format!("chimera-{}.log", number()));
        // A flag may be given once only.
        let usual = ["--metrics-bind-address=0", "--health-probe-bind-address=0", "--cluster-domain=cluster.local"];
        let name = |flag: &str| flag.split('=').next().unwrap_or_default().to_owned();
        let usual = usual.into_iter().filter(|flag| !flags.iter().any(|given| name(given) == name(flag)));
        let child = Command::new(binary)
            .arg("run")
            .args(usual)
            .arg("--kubeconfig")
            .arg(kubeconfig)
            .arg("--plugin-cache-dir")
            .arg(cache_dir()?)
            .args(flags)
            .envs(env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&log).context("failed to create the operator's log")?)
            .spawn()
            .context("failed to start the operator")?;
        Ok(Self { child, log })
    }

    /// What it logged so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// The number of its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Whether it still runs.
    pub fn alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Stops it by SIGTERM and waits for its end.
    pub async fn stop(mut self) -> Result<ExitStatus> {
        let status = Command::new("kill").arg(self.child.id().to_string()).status().context("failed to run kill")?;
        ensure!(status.success(), "failed to send SIGTERM to the operator");
        let child = &mut self.child;
        let mut status = || child.try_wait().context("failed to wait for the operator");
        wait_for("the operator to end", Duration::from_secs(30), || {
            let status = status();
            async move { status }
        })
        .await
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("---- the operator's log\n{}", self.log());
        }
    }
}

/// The operator's binary, built at most once in a test process.
pub fn binary() -> Result<PathBuf> {
    static BINARY: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    BINARY.get_or_init(|| build().map_err(|error| format!("{error:#}"))).clone().map_err(|error| anyhow!(error))
}

fn build() -> Result<PathBuf> {
    // Of all packages, so that the dependencies are those that the tests were built with.
    let build = ["build", "--quiet", "--workspace", "--bin", "chimera"];
    let status = chimera_kit::cargo().args(build).current_dir(root()).status().context("failed to start cargo")?;
    ensure!(status.success(), "failed to build the operator");
    Ok(profile_dir()?.join("chimera"))
}

/// A guest that `cargo xtask plugins` built.
pub fn guest(name: &str) -> Result<PathBuf> {
    let target = profile_dir()?.parent().map(Path::to_path_buf).context("a target folder has a parent")?;
    let file = target.join("plugins").join(format!("{name}.wasm"));
    ensure!(file.is_file(), "{} is missing: run `cargo xtask plugins` first", file.display());
    Ok(file)
}

/// One compile cache for all tests, beside the build results, so that each plugin is compiled once.
pub fn cache_dir() -> Result<PathBuf> {
    Ok(profile_dir()?.join("plugin-cache"))
}

/// `target/debug`: the folder of this program, or the one above for a test binary in `target/debug/deps`.
fn profile_dir() -> Result<PathBuf> {
    let exe = std::env::current_exe().context("failed to find this program's own file")?;
    let folder = exe.parent().context("a program stands in a folder")?;
    let folder = if folder.ends_with("deps") { folder.parent().unwrap_or(folder) } else { folder };
    Ok(folder.to_path_buf())
}

/// The workspace's folder.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn number() -> usize {
    static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(1);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}
