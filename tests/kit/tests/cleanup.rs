//! Nothing is left behind, however the process ends that started a control plane.

use std::env;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use chimera_kit::{ControlPlane, wait_for};
use tokio::runtime::Runtime;

const DEADLINE: Duration = Duration::from_secs(120);

/// Where a child process writes the directory of its control plane.
const REPORT: &str = "CHIMERA_KIT_TEST_REPORT";

#[test]
#[ignore = "the other tests run it in a process of its own"]
fn holds_a_control_plane_until_it_is_killed() {
    let Some(report) = env::var_os(REPORT).map(PathBuf::from) else { return };
    Runtime::new().unwrap().block_on(async {
        let cluster = ControlPlane::builder().nodes(1).start().await.unwrap();
        let scratch = report.with_extension("part");
        fs::write(&scratch, cluster.dir().to_str().unwrap()).unwrap();
        fs::rename(scratch, report).unwrap();
        std::future::pending::<()>().await;
    });
}

#[tokio::test]
async fn a_killed_process_leaves_nothing() -> Result<()> {
    ended_by("KILL").await
}

#[tokio::test]
async fn an_interrupted_process_leaves_nothing() -> Result<()> {
    ended_by("INT").await
}

#[tokio::test]
async fn a_terminated_process_leaves_nothing() -> Result<()> {
    ended_by("TERM").await
}

#[test]
fn a_panic_leaves_nothing() -> Result<()> {
    let runtime = Runtime::new()?;
    let cluster = runtime.block_on(ControlPlane::builder().nodes(1).start())?;
    let dir = cluster.dir().to_owned();
    assert_eq!(processes(&dir)?.len(), 6);
    let panicked = catch_unwind(std::panic::AssertUnwindSafe(move || {
        let _cluster = cluster;
        panic!("as a failed test does");
    }));
    ensure!(panicked.is_err());
    assert!(!dir.exists());
    assert_eq!(processes(&dir)?, Vec::<String>::new());
    Ok(())
}

async fn ended_by(signal: &str) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let mut child = hold(&scratch.path().join("report"))?;
    let dir = reported(&scratch.path().join("report"), &mut child).await?;
    // Five and the watchdog, whose argument the directory is.
    assert_eq!(processes(&dir)?.len(), 6, "{:?}", processes(&dir)?);
    let sent = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status()?;
    ensure!(sent.success(), "kill failed");
    let status = child.wait()?;
    ensure!(!status.success(), "the process ended by itself");
    let gone = || async {
        let left = processes(&dir)?;
        ensure!(left.is_empty(), "still running: {left:?}");
        ensure!(!dir.exists(), "{} is still there", dir.display());
        Ok(Some(()))
    };
    wait_for("everything to be gone", DEADLINE, gone).await
}

fn hold(report: &Path) -> Result<Child> {
    Command::new(env::current_exe()?)
        .args(["--exact", "holds_a_control_plane_until_it_is_killed", "--ignored", "--nocapture"])
        .env(REPORT, report)
        .stdout(Stdio::null())
        .spawn()
        .context("failed to start a process")
}

async fn reported(report: &Path, child: &mut Child) -> Result<PathBuf> {
    let child = std::sync::Mutex::new(child);
    let read = || async {
        if let Some(status) = child.lock().unwrap().try_wait()? {
            return Ok(Some(Err(anyhow!("the process ended ({status})"))));
        }
        Ok(fs::read_to_string(report).ok().map(|dir| Ok(PathBuf::from(dir))))
    };
    wait_for("a control plane in another process", DEADLINE, read).await?
}

/// Command lines that name a directory.
fn processes(dir: &Path) -> Result<Vec<String>> {
    let listed = Command::new("ps").args(["-A", "-o", "args="]).output().context("failed to run ps")?;
    let dir = dir.to_str().context("the directory's name is no text")?;
    let text = String::from_utf8_lossy(&listed.stdout);
    Ok(text.lines().filter(|line| line.contains(dir)).map(str::to_owned).collect())
}
