//! Starts and stops a whole control plane with simulated nodes: etcd, kube-apiserver, kube-controller-manager,
//! kube-scheduler and kwok, real processes of pinned versions on free ports of 127.0.0.1. What pods would answer to
//! kube-apiserver, [`Backends`] answer.
//!
//! ```no_run
//! # async fn example() -> anyhow::Result<()> {
//! let cluster = chimera_kit::ControlPlane::builder().nodes(3).start().await?;
//! cluster.apply_yaml("{apiVersion: v1, kind: Namespace, metadata: {name: example}}").await?;
//! let writes = cluster.audit().await?.writes_by(chimera_kit::ADMIN);
//! cluster.stop().await
//! # }
//! ```
//!
//! Whatever way the test process ends, a watchdog ends the children and removes their directory. With
//! `CHIMERA_KIT_KEEP=1` the directory, which holds the logs, stays.

mod audit;
mod backends;
pub mod binaries;
mod cargo;
mod certs;
mod components;
mod control_plane;
mod kubeconfig;
mod nodes;
mod objects;
mod ports;
mod supervisor;
mod wait;

pub use audit::{AuditEvent, AuditLog};
pub use backends::{Backends, Behaviour};
pub use cargo::cargo;
pub use control_plane::{Builder, ControlPlane};
pub use objects::apply;
pub use wait::wait_for;

/// Name of the user that [`ControlPlane::client`] and [`ControlPlane::kubeconfig_path`] act as.
pub const ADMIN: &str = "kubernetes-admin";

/// Group whose members may do everything.
pub const MASTERS: &str = "system:masters";

/// Addresses of Services.
pub const SERVICE_RANGE: &str = "10.96.0.0/16";

/// Addresses that kwok gives to pods outside the host network.
pub const POD_RANGE: &str = "10.244.0.0/16";
