//! Renders components: one folder a component, one file a kind, one function an object or a container.
//!
//! Nothing here sets what the uniform policies set (standard labels, owner references, usual probe timing, pull policy,
//! operating system) or what the API server would fill in.

pub mod api_server;
pub mod bgp;
mod charts;
mod cni_log;
pub mod csi;
pub mod felix;
pub mod gateway_api;
pub mod goldmane;
pub mod guardian;
pub mod installation;
pub mod istio;
pub mod kube_controllers;
mod meta;
pub mod namespaces;
pub mod node;
mod objects;
pub mod openshift;
mod pod;
pub mod policies;
mod rbac;
pub mod secrets;
pub(crate) mod spec;
mod tiered;
pub mod tiers;
pub mod typha;
mod webhooks;
pub mod whisker;
pub mod windows;

use crate::component::Component;
use crate::following::{self, Following};
use crate::installation::config::InstallationConfig;
use crate::installation::overlay;
use crate::message::Message;
use crate::{codes, object, overrides};

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
    /// Charts hold something that the operator does not know how to deploy.
    #[error("failed to render charts")]
    Charts(Vec<Message>),
    /// The user's overrides name containers that the workloads do not have.
    #[error("failed to lay overrides over containers that are not there")]
    UnknownContainers(Vec<Message>),
}

impl Error {
    /// For an administrator. What the user wrote is named field by field; anything else is a fault of the operator.
    pub fn messages(self) -> Vec<Message> {
        match self {
            Self::Charts(messages) | Self::UnknownContainers(messages) => messages,
            error => vec![Message::new(&codes::RENDER_FAILED, error.to_string()).on("Installation default")],
        }
    }
}

/// Only what is rendered shows which containers a workload has.
fn refuse_unknown_containers(config: &InstallationConfig, components: &[Component]) -> Result<(), Error> {
    let unknown = overrides::unknown_containers_of(&config.spec, components);
    let overlay = config.overlay.as_ref();
    refuse(unknown.into_iter().map(|message| overlay::attribute(message, overlay)).collect())
}

/// The same for a component with a resource of its own.
pub(crate) fn refuse_unknown_containers_of(config: &dyn Following, components: &[Component]) -> Result<(), Error> {
    refuse(following::unknown_containers(config, components))
}

fn refuse(unknown: Vec<Message>) -> Result<(), Error> {
    if unknown.is_empty() { Ok(()) } else { Err(Error::UnknownContainers(unknown)) }
}
