//! Calls the Go toolchain and shows how far it is.

use std::io::{BufRead, BufReader, ErrorKind, IsTerminal, Write, stderr};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};

use super::cache::Program;
use super::kubernetes_version;
use crate::supervisor::tail;

pub(super) const FLAGS: [&str; 3] = ["-mod=readonly", "-trimpath", "-buildvcs=false"];

/// How often progress is shown where it cannot overwrite itself.
const REPORT: Duration = Duration::from_secs(20);

/// Builds `programs` of the module in `source` into `target`.
pub(super) fn run(source: &Path, module: &str, target: &Path, programs: &[Program]) -> Result<()> {
    let packages: Vec<&str> = programs.iter().map(|(_, package)| *package).collect();
    let mut progress = Progress::new(module, count(source, &packages)?);
    for (name, package) in programs {
        build(source, package, &target.join(name), &mut progress)?;
    }
    progress.end();
    Ok(())
}

/// One program a call: Go would name the files of several itself, the one of etcd not after its program.
fn build(source: &Path, package: &str, target: &Path, progress: &mut Progress<'_>) -> Result<()> {
    let mut go = go(source);
    // Kubernetes does not know its version otherwise.
    let version = format!("-ldflags=-s -w -X k8s.io/component-base/version.gitVersion={}", kubernetes_version());
    go.args(["build", "-v"]).args(FLAGS).arg(version).arg("-o").arg(target).arg(package);
    let mut child = go.stderr(Stdio::piped()).spawn().map_err(explain)?;
    let mut other = Vec::new();
    for line in BufReader::new(child.stderr.take().context("go has no standard error")?).lines() {
        let line = line.context("failed to read what go says")?;
        // With -v go names each package that it compiles; everything else is trouble or a download.
        if line.contains(' ') { other.push(line) } else { progress.step() }
    }
    let status = child.wait().context("failed to wait for go")?;
    if !status.success() {
        bail!("go build {package} failed ({status}) in {}:\n{}", source.display(), tail(&other.join("\n")));
    }
    Ok(())
}

fn go(source: &Path) -> Command {
    let mut command = Command::new("go");
    command.current_dir(source).env("CGO_ENABLED", "0").env("GOWORK", "off").stdin(Stdio::null());
    command
}

/// Number of packages that take part, with downloads where they are missing.
fn count(source: &Path, packages: &[&str]) -> Result<usize> {
    let output = go(source).args(["list", "-mod=readonly", "-deps"]).args(packages).output().map_err(explain)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("go list failed ({}) in {}:\n{}", output.status, source.display(), tail(&said));
    }
    Ok(output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count())
}

fn explain(error: std::io::Error) -> anyhow::Error {
    let missing = error.kind() == ErrorKind::NotFound;
    let error = anyhow!(error).context("failed to run go");
    if !missing {
        return error;
    }
    error.context(
        "it is built with Go 1.26 or newer, which is not in PATH: install it from https://go.dev/dl; or put helm into \
         PATH and set KUBEBUILDER_ASSETS to a directory with kube-apiserver, kube-controller-manager, \
         kube-scheduler, etcd and kwok",
    )
}

/// Writes to standard error itself, since what the macros print is withheld in tests.
struct Progress<'a> {
    module: &'a str,
    done: usize,
    total: usize,
    start: Instant,
    shown: Instant,
}

impl<'a> Progress<'a> {
    fn new(module: &'a str, total: usize) -> Self {
        let now = Instant::now();
        let progress = Self { module, done: 0, total, start: now, shown: now };
        progress.show(&format!("building, once: {module}, up to {total} packages"));
        progress
    }

    fn step(&mut self) {
        self.done += 1;
        let every = if stderr().is_terminal() { Duration::from_millis(200) } else { REPORT };
        if self.shown.elapsed() >= every {
            self.shown = Instant::now();
            self.show(&format!("{}: {}/{} packages", self.module, self.done, self.total));
        }
    }

    fn end(&self) {
        self.show(&format!("{}: done after {} s", self.module, self.start.elapsed().as_secs()));
        if stderr().is_terminal() {
            let _ = writeln!(stderr());
        }
    }

    fn show(&self, text: &str) {
        let _ = if stderr().is_terminal() { write!(stderr(), "\r\x1b[K{text}") } else { writeln!(stderr(), "{text}") };
    }
}
