//! Renders components: one folder a component, one file a kind, one function an object or a container.
//!
//! Nothing here sets what the uniform policies set (standard labels, owner references, usual probe timing, pull policy,
//! operating system) or what the API server would fill in.

pub mod csi;
pub mod felix;
pub mod installation;
pub mod kube_controllers;
mod meta;
pub mod namespaces;
pub mod node;
mod objects;
mod pod;
mod rbac;
pub mod secrets;
mod spec;
pub mod typha;

use crate::object;

/// Why a component could not be rendered.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A typed struct does not make an object.
    #[error("failed to render an object of kind {kind}")]
    Object {
        /// Its kind.
        kind: &'static str,
        /// What is wrong.
        source: object::Error,
    },
    /// The CNI configuration cannot be written as JSON.
    #[error("failed to write the CNI configuration")]
    CniConfig(#[source] serde_json::Error),
}
