//! What to do next, from what is seen of the cluster.
//!
//! The label on a node is the record of the decision; nothing else is remembered. In order:
//!
//! 1. Every node is labelled as served by the manifest install, then its DaemonSet is kept to such nodes. Its pods do not
//!    restart for that.
//! 2. The manifest install's controllers stop, and its Typha makes room where both would not fit.
//! 3. Once the operator's Typha serves, one node after another is labelled as moved, each only when the pod of the one
//!    before is ready. A node that is not ready is passed over until it is back.
//! 4. When none is left, the old workloads are deleted; when those are gone, what they used, and the labels.

mod back;
mod clean;
mod moving;
mod prepare;
#[cfg(test)]
mod tests;

use std::time::Duration;

use jiff::Timestamp;

use crate::message::Message;
use crate::object::{Object, ObjectKey};

pub use back::back;

/// A node that was moved and has not been ready for this long does not hold up the others any more.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Which install serves a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The manifest install.
    PreOperator,
    /// The operator's.
    Migrated,
}

impl Mark {
    /// The label's value.
    pub fn value(self) -> &'static str {
        match self {
            Self::PreOperator => super::names::PRE_OPERATOR,
            Self::Migrated => super::names::MIGRATED,
        }
    }
}

/// A Linux node, with what runs on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeState {
    /// Its name.
    pub name: String,
    /// What its label says, if it has one.
    pub mark: Option<Mark>,
    /// Whether the node itself is ready.
    pub ready: bool,
    /// Since when it is (or is not), if that is known.
    pub since: Option<Timestamp>,
    /// Whether a pod of the old DaemonSet is there, and ready.
    pub old_pod: Option<bool>,
    /// Whether a pod of the operator's DaemonSet is there, and ready.
    pub new_pod: Option<bool>,
}

/// The DaemonSet of the manifest install.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OldNodes {
    /// It is kept to nodes with the label.
    pub confined: bool,
    /// Its controller has seen that.
    pub observed: bool,
}

/// The Deployment of the old controllers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OldControllers {
    /// Pods that it shall have.
    pub replicas: i32,
    /// Pods that it has.
    pub pods: i32,
}

/// What is seen of the cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// Linux nodes, by name.
    pub nodes: Vec<NodeState>,
    /// The old DaemonSet, none once it is gone.
    pub old_nodes: Option<OldNodes>,
    /// Replicas that the old Typha shall have, if it is there.
    pub old_typha: Option<i32>,
    /// The old controllers, if the Deployment is there.
    pub old_controllers: Option<OldControllers>,
    /// Fields that FelixConfiguration lacks.
    pub missing_felix: Option<Box<Object>>,
    /// Copies of rights that are missing.
    pub missing_rights: Vec<Object>,
    /// Replicas of the operator's Typha.
    pub new_typha: i32,
    /// How many of them are available.
    pub new_typha_available: i32,
    /// Whether the operator's DaemonSet is there, kept off the nodes that the old one serves, and seen by its controller.
    pub new_nodes_ready: bool,
    /// Whether `status.defaults` holds what was found, so that the old objects may change.
    pub remembered: bool,
    /// Old objects that are there, with their plural names, in the order in which they are to go.
    pub left: Vec<(ObjectKey, &'static str)>,
    /// Now.
    pub now: Timestamp,
}

/// One change of the cluster.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Labels a node.
    Mark(String, Mark),
    /// Takes the label off a node.
    Unmark(String),
    /// Keeps the old DaemonSet to labelled nodes, without restarting its pods.
    Confine,
    /// Lets the old DaemonSet serve every node again.
    Unconfine,
    /// Scales an old Deployment.
    Scale(ObjectKey, i32),
    /// Creates an object.
    Create(Box<Object>),
    /// Writes fields of a resource in the user's name.
    Settle(Box<Object>),
    /// Deletes an object.
    Delete(ObjectKey, &'static str),
}

/// Components that may not be applied yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Withheld {
    /// calico-node: the old install still expects to serve every node.
    pub node: bool,
    /// The controllers, of which one set may run at a time.
    pub kube_controllers: bool,
}

/// What to do now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Changes to make, in order.
    pub actions: Vec<Action>,
    /// Components to hold back.
    pub withheld: Withheld,
    /// Whether the operator's DaemonSet must be kept off nodes that the old one serves.
    pub confined: bool,
    /// What to tell.
    pub messages: Vec<Message>,
}

/// What to do now. Nothing, if there is neither an old install nor anything left of one.
pub fn step(seen: &Observation) -> Plan {
    match seen.old_nodes {
        None => clean::up(seen),
        Some(old) => prepare::prepare(old, seen).unwrap_or_else(|| moving::next(seen)),
    }
}
