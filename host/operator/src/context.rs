//! What every controller is given.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use chimera_core::env::{Clock, Env, Randomness};
use chimera_core::installation::config::ApiGroup;
use kube::Client;

use crate::apply::Applier;
use crate::controllers::wiring::Bells;
use crate::metrics::Metrics;
use crate::plugins::Plugins;
use crate::reader::Reader;
use crate::status::events::Events;
use crate::status::writer::StatusWriter;
use crate::watch::lazy::Lazy;
use crate::watch::nodes::Nodes;
use crate::watch::versions::Versions;
use crate::watch::workloads::Workloads;

/// Shared by all controllers.
pub struct Context {
    /// The connection.
    pub client: Client,
    /// Versions of everything watched.
    pub versions: Arc<Versions>,
    /// Rollout states.
    pub workloads: Arc<Workloads>,
    /// Watches that only some configurations need.
    pub lazy: Lazy,
    /// Labels of Nodes.
    pub nodes: Arc<Nodes>,
    /// Reads objects.
    pub reader: Reader,
    /// Writes objects.
    pub applier: Applier,
    /// Writes TigeraStatus.
    pub status: StatusWriter,
    /// Publishes Events.
    pub events: Events,
    /// The plugins in use.
    pub plugins: Plugins,
    /// Wakes controllers.
    pub bells: Bells,
    /// Metrics.
    pub metrics: Arc<Metrics>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Key material.
    pub randomness: Arc<dyn Randomness>,
    /// What the command line and the cluster say once.
    pub settings: Settings,
}

/// What does not change while the process runs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Namespace of the operator.
    pub namespace: String,
    /// DNS domain of the cluster.
    pub cluster_domain: String,
    /// API group of Calico's own resources.
    pub api_group: ApiGroup,
    /// API groups that the cluster serves.
    pub api_groups: BTreeSet<String>,
    /// Folder of chart bundles that take the place of embedded ones.
    pub chart_bundles: Option<PathBuf>,
}

impl Context {
    /// The operator's surroundings, as the core takes them.
    pub fn env(&self) -> Env<'_> {
        Env { namespace: &self.settings.namespace, clock: self.clock.as_ref(), randomness: self.randomness.as_ref() }
    }
}
