//! Answers for pods: these are simulated, so nobody would listen behind the Services that kube-apiserver itself calls.
//!
//! kube-apiserver reaches the cluster through an egress proxy on a unix socket, which is this one. It ends the tunnels
//! to Calico's API server and to Calico's admission webhooks itself, each with the certificate that lies in the cluster
//! for it. Other addresses of Services refuse, as where no pod listens; all else is dialled.
//!
//! It runs on a thread of its own, since a test may block the thread of its runtime, and ends with its control plane.

mod api;
mod discovery;
mod egress;
mod reply;
mod target;
mod tls;
mod translate;
mod webhooks;

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use anyhow::{Context, Result};
use kube::Client;
use tokio::net::UnixListener;
use tokio::runtime::Runtime;
use tokio::sync::{oneshot, watch};

/// Who Calico's API server is to kube-apiserver.
pub(crate) const USER: &str = "system:serviceaccount:calico-system:calico-apiserver";

/// How what is behind a Service behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Behaviour {
    /// It answers.
    #[default]
    Served,
    /// Nobody listens.
    Refused,
    /// Connections are taken, and nothing is ever said.
    Hanging,
    /// Every request is answered by 503.
    Unavailable,
}

/// What is behind the Services that kube-apiserver calls. To be switched at any time; connections that are open then
/// are cut. kube-apiserver looks anew every 30 s at the latest, and whenever an APIService or its Service changes.
pub struct Backends {
    api: watch::Sender<Behaviour>,
    webhooks: watch::Sender<Behaviour>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Backends {
    /// Listens at a path; `client` acts as [`USER`].
    pub(crate) fn start(socket: &Path, client: Client, behaviour: Behaviour) -> Result<Self> {
        let (api, webhooks) = (watch::Sender::new(behaviour), watch::Sender::new(behaviour));
        let cluster = egress::Cluster { client, api: api.subscribe(), webhooks: webhooks.subscribe() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.context("failed to start a runtime for the egress proxy")?;
        let listener = listen(&runtime, socket)?;
        let (stop, stopped) = oneshot::channel();
        let run = move || {
            runtime.block_on(async {
                tokio::select! {
                    () = egress::serve(listener, Arc::new(cluster)) => {}
                    _ = stopped => {}
                }
            });
        };
        let thread = std::thread::Builder::new().name("egress".into()).spawn(run);
        let thread = thread.context("failed to start a thread for the egress proxy")?;
        Ok(Self { api, webhooks, stop: Some(stop), thread: Some(thread) })
    }

    /// Switches Calico's API server: Service `calico-api` of `calico-system`, which answers `projectcalico.org/v3`.
    pub fn api(&self, behaviour: Behaviour) {
        self.api.send_replace(behaviour);
    }

    /// Switches Calico's admission webhooks: Service `calico-webhooks` of `calico-system`, which admit everything.
    pub fn webhooks(&self, behaviour: Behaviour) {
        self.webhooks.send_replace(behaviour);
    }
}

fn listen(runtime: &Runtime, socket: &Path) -> Result<UnixListener> {
    let _guard = runtime.enter();
    UnixListener::bind(socket).with_context(|| format!("failed to listen at {}", socket.display()))
}

impl Drop for Backends {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
