//! Starting a control plane.

use std::env;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use http::Request;
use k8s_openapi::api::core::v1::ServiceAccount;
use kube::{Api, Client};

use super::{ControlPlane, data};
use crate::backends::{self, Backends, Behaviour};
use crate::binaries::Binaries;
use crate::certs::{Certs, write};
use crate::components::Layout;
use crate::supervisor::Supervisor;
use crate::{ADMIN, MASTERS, kubeconfig, nodes, ports};

/// For each step of the start. Generous, since a machine that builds at the same time is slow.
const DEADLINE: Duration = Duration::from_secs(120);

/// Starts, with other ports each time, before it is no coincidence any more.
const ATTEMPTS: usize = 5;

/// Set to anything to keep the directory of a control plane.
const KEEP: &str = "CHIMERA_KIT_KEEP";

/// What to start.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    nodes: usize,
    etcd_data: Option<PathBuf>,
    stages: Vec<String>,
    backends: Behaviour,
}

impl Builder {
    /// Number of simulated nodes, `node-1` and so on: Linux on amd64, 16 CPUs, 64 GiB, 110 pods. None by default.
    pub fn nodes(mut self, count: usize) -> Self {
        self.nodes = count;
        self
    }

    /// Starts from a copy of an etcd data directory (with `member/` in it, or in its subdirectory `etcd/`).
    /// Nodes in there are simulated as well.
    pub fn etcd_data(mut self, path: impl Into<PathBuf>) -> Self {
        self.etcd_data = Some(path.into());
        self
    }

    /// Adds a `Stage` of kwok, a YAML document, to change how nodes and pods behave. Where several match an object, one
    /// is picked at random by `weight`.
    pub fn stage(mut self, yaml: impl Into<String>) -> Self {
        self.stages.push(yaml.into());
        self
    }

    /// How what kube-apiserver calls in the cluster behaves at first: Calico's API server and admission webhooks. Served
    /// by default; [`ControlPlane::backends`] switches them later.
    pub fn backends(mut self, behaviour: Behaviour) -> Self {
        self.backends = behaviour;
        self
    }

    /// Starts it and waits until the nodes are Ready and pods can be created. Builds the programs before if need be.
    ///
    /// # Errors
    ///
    /// When the programs cannot be built, or a process ends or is not ready in time; the message has the end of its log.
    pub async fn start(self) -> Result<ControlPlane> {
        let binaries =
            tokio::task::spawn_blocking(Binaries::locate).await.context("failed to look for the programs")??;
        let mut attempt = 1;
        loop {
            match self.attempt(&binaries).await {
                Err(error) if attempt < ATTEMPTS && is_collision(&error) => attempt += 1,
                result => return result.context("failed to start the control plane"),
            }
        }
    }

    async fn attempt(&self, binaries: &Binaries) -> Result<ControlPlane> {
        let (supervisor, dir) = supervised_directory()?;
        let certs = Certs::create(dir.join("certs"))?;
        if let Some(source) = &self.etcd_data {
            data::copy(source, &dir.join("etcd"))?;
        }
        let [etcd_port, peer_port, api_port, kwok_port] = ports::free()?;
        let url = format!("https://127.0.0.1:{api_port}");
        let admin = kubeconfig::text(&certs, &url, ADMIN, &[MASTERS])?;
        write(&dir.join("kubeconfig"), &admin)?;
        let (client, impatient) = (kubeconfig::client(&admin).await?, kubeconfig::impatient(&admin).await?);
        let egress = dir.join("egress.sock");
        let api_server = kubeconfig::text(&certs, &url, backends::USER, &[MASTERS])?;
        let backends = Backends::start(&egress, kubeconfig::impatient(&api_server).await?, self.backends)?;
        let cluster = ControlPlane { dir, url, certs, client, impatient, supervisor: Mutex::new(supervisor), backends };
        let layout = Layout {
            dir: &cluster.dir,
            certs: &cluster.certs,
            url: &cluster.url,
            etcd_port,
            peer_port,
            api_port,
            kwok_port,
            egress: &egress,
            foreign_data: self.etcd_data.is_some(),
            stages: &self.stages,
        };
        self.start_processes(&cluster, &layout, binaries).await?;
        Ok(cluster)
    }

    async fn start_processes(&self, cluster: &ControlPlane, layout: &Layout<'_>, binaries: &Binaries) -> Result<()> {
        let spawn = |name: &str, args: Vec<String>| {
            let program = binaries.path(name)?;
            cluster.supervisor.lock().unwrap_or_else(PoisonError::into_inner).spawn(name, program, &args)
        };
        layout.prepare()?;
        spawn("etcd", layout.etcd())?;
        spawn("kube-apiserver", layout.api_server())?;
        let client = &cluster.client;
        cluster.wait_for("kube-apiserver to be ready", DEADLINE, || serving(client)).await?;
        spawn("kube-controller-manager", layout.controller_manager()?)?;
        spawn("kube-scheduler", layout.scheduler()?)?;
        spawn("kwok", layout.kwok()?)?;
        nodes::create(client, self.nodes).await?;
        let ready = || async { nodes::ready(client, self.nodes).await.map(Some) };
        cluster.wait_for("the nodes to be Ready", DEADLINE, ready).await?;
        cluster.wait_for("the controllers to work", DEADLINE, || controlled(client)).await
    }
}

/// A directory of its own that goes with its supervisor.
fn supervised_directory() -> Result<(Supervisor, PathBuf)> {
    let dir = tempfile::Builder::new().prefix("chimera-kit-").tempdir().context("failed to create a directory")?;
    let supervisor = Supervisor::new(dir.path(), env::var_os(KEEP).is_some())?;
    Ok((supervisor, dir.keep()))
}

async fn serving(client: &Client) -> Result<Option<()>> {
    let request = Request::get("/readyz").body(Vec::new()).context("failed to make a request")?;
    let answer = client.request_text(request).await.context("/readyz")?;
    Ok((answer == "ok").then_some(()))
}

/// Pods need this account; it is made by the controllers.
async fn controlled(client: &Client) -> Result<Option<()>> {
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), "default");
    Ok(accounts.get_opt("default").await?.map(|_| ()))
}

/// Somebody else took a port between our finding it free and our process's listening on it.
fn is_collision(error: &anyhow::Error) -> bool {
    format!("{error:#}").contains("address already in use")
}
