//! A running control plane.

mod builder;
mod data;

use std::future::Future;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use kube::Client;
use serde_json::Value;
use tokio::time::sleep;

pub use builder::Builder;

use crate::audit::AuditLog;
use crate::backends::Backends;
use crate::certs::{Certs, write};
use crate::supervisor::Supervisor;
use crate::{kubeconfig, objects, wait};

/// How often the children are looked after.
const LOOK: Duration = Duration::from_millis(200);

/// A running control plane. It ends, and its directory goes, when this is dropped, or with the process.
pub struct ControlPlane {
    dir: PathBuf,
    url: String,
    certs: Certs,
    client: Client,
    impatient: Client,
    supervisor: Mutex<Supervisor>,
    backends: Backends,
}

impl ControlPlane {
    /// What to start.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Address of kube-apiserver, such as `https://127.0.0.1:40001`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Everything lies here: `logs/NAME.log`, `audit.log`, `kubeconfigs/`, `certs/`, `etcd/`.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// A client that acts as [`ADMIN`](crate::ADMIN).
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// As [`client`](Self::client), but takes "unavailable" for an answer instead of asking for minutes.
    pub fn impatient_client(&self) -> Client {
        self.impatient.clone()
    }

    /// A kubeconfig that acts as [`ADMIN`](crate::ADMIN).
    pub fn kubeconfig_path(&self) -> PathBuf {
        self.dir.join("kubeconfig")
    }

    /// Writes a kubeconfig that acts as a user in groups, two at most, and says where it lies. The audit log knows the
    /// user by this name.
    ///
    /// # Errors
    ///
    /// When there are more groups or the file cannot be written.
    pub fn kubeconfig_for(&self, user: &str, groups: &[&str]) -> Result<PathBuf> {
        // Names such as system:serviceaccount:a:b are fine as they are; a slash is not.
        let path = self.dir.join("kubeconfigs").join(user.replace('/', "_"));
        write(&path, &kubeconfig::text(&self.certs, &self.url, user, groups)?)?;
        Ok(path)
    }

    /// A client that acts as a user in groups, two at most.
    ///
    /// # Errors
    ///
    /// When there are more groups.
    pub async fn client_for(&self, user: &str, groups: &[&str]) -> Result<Client> {
        kubeconfig::client(&kubeconfig::text(&self.certs, &self.url, user, groups)?).await
    }

    /// What answers for pods that kube-apiserver calls; served unless the builder was told otherwise.
    pub fn backends(&self) -> &Backends {
        &self.backends
    }

    /// All requests that have been answered so far.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn audit(&self) -> Result<AuditLog> {
        let path = self.dir.join("audit.log");
        tokio::task::spawn_blocking(move || AuditLog::read(&path)).await.context("failed to read the audit log")?
    }

    /// Applies every document of a YAML text on the server's side, in order, as the field manager `chimera-kit`, and
    /// answers what the server made of them. Documents may be Lists; a namespaced object without a namespace goes to
    /// `default`. A kind that a CustomResourceDefinition before it brings is waited for.
    ///
    /// # Errors
    ///
    /// When a document is no object, its kind stays unknown or the server refuses it; the message names it.
    pub async fn apply_yaml(&self, yaml: &str) -> Result<Vec<Value>> {
        objects::apply(&self.client, yaml).await
    }

    /// Every object of every kind that can be listed, Events included, sorted by API version, kind, namespace and name.
    /// What an aggregated API has that does not answer is left out.
    ///
    /// # Errors
    ///
    /// When the server cannot be asked.
    pub async fn dump(&self) -> Result<Vec<Value>> {
        objects::dump(&self.impatient).await
    }

    /// [`wait_for`](crate::wait_for), but fails as soon as a process of the control plane ends.
    ///
    /// # Errors
    ///
    /// When `deadline` has passed or a process has ended.
    pub async fn wait_for<T, F, Fut>(&self, what: &str, deadline: Duration, check: F) -> Result<T>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = Result<Option<T>>>,
    {
        tokio::select! {
            found = wait::wait_for(what, deadline, check) => found,
            ended = self.until_failure() => Err(ended).with_context(|| format!("failed to wait for {what}")),
        }
    }

    /// Returns when a process of the control plane has ended, with what it said.
    pub async fn until_failure(&self) -> anyhow::Error {
        loop {
            if let Err(error) = self.supervisor.lock().unwrap_or_else(PoisonError::into_inner).check() {
                return error;
            }
            sleep(LOOK).await;
        }
    }

    /// Lets a process stand still, `kube-apiserver` say: whoever asks it waits until it is [resumed](Self::resume).
    ///
    /// # Errors
    ///
    /// When there is no such process.
    pub fn pause(&self, name: &str) -> Result<()> {
        self.signal(name, "-STOP")
    }

    /// Lets it go on.
    ///
    /// # Errors
    ///
    /// When there is no such process.
    pub fn resume(&self, name: &str) -> Result<()> {
        self.signal(name, "-CONT")
    }

    fn signal(&self, name: &str, signal: &str) -> Result<()> {
        let pid = self.supervisor.lock().unwrap_or_else(PoisonError::into_inner).pid(name);
        let pid = pid.with_context(|| format!("there is no process {name}"))?;
        let status = Command::new("kill").args([signal, &pid.to_string()]).status().context("failed to run kill")?;
        ensure!(status.success(), "failed to send {signal} to {name}");
        Ok(())
    }

    /// The ends of all logs, for a message about a test that failed.
    pub fn log_tails(&self) -> String {
        self.supervisor.lock().unwrap_or_else(PoisonError::into_inner).log_tails()
    }

    /// Ends the processes and removes the directory, as a drop does, without blocking the thread.
    ///
    /// # Errors
    ///
    /// When a process had ended by itself before.
    pub async fn stop(self) -> Result<()> {
        let mut supervisor = self.supervisor.into_inner().unwrap_or_else(PoisonError::into_inner);
        let stop = move || {
            let healthy = supervisor.check();
            drop(supervisor);
            healthy
        };
        tokio::task::spawn_blocking(stop).await.context("failed to stop the control plane")?
    }
}
