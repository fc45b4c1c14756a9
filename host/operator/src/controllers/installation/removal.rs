//! Taking an Installation down in the order that keeps the network up for as long as something needs it.
//!
//! 0. Nodes that were moved from a manifest install which is still there go back to it.
//! 1. Workloads whose pods have addresses of the pod network go first: taking such a pod down asks the CNI plugin. That
//!    is also so for those that other resources run, such as Calico's API server; before it goes who asks it.
//! 2. When their pods are gone, the finalizers go that keep the CNI plugin's account.
//! 3. Then those on the Installation go, and Kubernetes deletes everything else, which the Installation owns.
//!
//! None of it depends on whether the Installation is valid. Address pools, FelixConfiguration and BGPConfiguration have
//! no owner: they are the user's as well, and stay.

mod finalizers;
mod following;
mod pods;

use std::sync::Arc;
use std::time::Duration;

use chimera_core::codes;
use chimera_core::message::Message;
use chimera_core::names::{CALICO_SYSTEM, CNI_PLUGIN, CSI_NODE_DRIVER, KUBE_CONTROLLERS, NODE};
use chimera_core::object::ObjectKey;
use serde_json::Value;
use tracing::{info, warn};

use super::status;
use crate::context::Context;
use crate::controllers::driver::Outcome;
use crate::controllers::subject::{API_VERSION, INSTALLATION, Subject};

pub(super) use finalizers::hold;

/// Pods are not watched, so they are looked at this often while something waits for their end.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Where an Installation is in its life.
pub(in crate::controllers) enum Stage {
    /// It is there to be served, or cannot be read, or there is one of a wrong name.
    Serve,
    /// It is being deleted.
    Leaving(Arc<Value>),
    /// There is none.
    Gone,
}

/// Looks where the Installation is.
pub(in crate::controllers) async fn stage(context: &Context) -> Stage {
    let key = ObjectKey::cluster(API_VERSION, INSTALLATION, "default");
    match context.reader.get(&key, "installations").await {
        Ok(Some(live)) if live.pointer("/metadata/deletionTimestamp").is_some() => Stage::Leaving(live),
        Ok(None) if super::dereference::strays(context).is_empty() => Stage::Gone,
        _ => Stage::Serve,
    }
}

/// Takes down what an Installation runs that is being deleted.
pub(super) async fn leave(context: &Context, live: &Value) -> Outcome {
    let subject = Subject::of(live);
    if !finalizers::are_held(live) {
        // Only others hold it; the watch tells when it is gone.
        return Outcome::Settled;
    }
    match steps(context, live, &subject).await {
        Ok(None) => Outcome::Again(LOOK_EVERY),
        Ok(Some(waiting)) => {
            status::leaving(context, &subject, waiting).await;
            Outcome::Again(LOOK_EVERY)
        }
        Err(message) => {
            warn!("{message}");
            status::leaving(context, &subject, message).await;
            Outcome::Failed
        }
    }
}

/// All steps that can be done now; a message tells what is waited for.
async fn steps(context: &Context, live: &Value, subject: &Subject) -> Result<Option<Message>, Message> {
    // Whoever deletes it with `--cascade=orphan` wants everything to go on without it.
    if !finalizers::orphans(live) {
        if let Some(waiting) = super::migration::give_back(context).await? {
            return Ok(Some(waiting));
        }
        super::kube_proxy::give_back(context, live).await?;
        let owner = subject.uid.as_deref().unwrap_or_default();
        let mut left = following::take_down(context).await?;
        left.extend(take_down(context, owner).await?);
        left.extend(pods::left(context).await?);
        if !left.is_empty() {
            return Ok(Some(Message::new(&codes::REMOVING, pods::waiting(&left)).on(&subject.key)));
        }
        let_go(context, Some(owner)).await?;
    }
    finalizers::lift(context, live, &subject.key).await?;
    info!(installation = subject.key.name, "the Installation may go; Kubernetes deletes what it owned");
    Ok(None)
}

/// There is no Installation. What an earlier one left behind, because its own finalizer was taken off by force, ends too.
pub(super) async fn clean_up(context: &Context) -> Outcome {
    let done = match leftovers(context).await {
        Ok(done) => done,
        Err(message) => {
            warn!("{message}");
            return Outcome::Failed;
        }
    };
    match context.status.remove(status::NAME).await {
        Ok(()) if done => Outcome::Settled,
        Ok(()) => Outcome::Again(LOOK_EVERY),
        Err(error) => {
            warn!(
                error = crate::client::reason(&error, "delete"),
                "failed to delete the TigeraStatus calico; trying again"
            );
            Outcome::Failed
        }
    }
}

/// Lets go of what is being deleted; says whether nothing is left of it.
async fn leftovers(context: &Context) -> Result<bool, Message> {
    if !is_any_leaving(context).await? {
        return Ok(true);
    }
    let left = pods::left(context).await?;
    if left.is_empty() {
        let_go(context, None).await?;
    } else {
        info!("{}", pods::waiting(&left));
    }
    Ok(false)
}

async fn is_any_leaving(context: &Context) -> Result<bool, Message> {
    for (key, plural) in protected() {
        let live = context.reader.get(&key, plural).await.map_err(super::dereference::failed)?;
        if live.is_some_and(|live| live.pointer("/metadata/deletionTimestamp").is_some()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Deletes the workloads; tells which are still there.
async fn take_down(context: &Context, owner: &str) -> Result<Vec<String>, Message> {
    let mut left = Vec::new();
    for key in workloads() {
        if context.applier.take_down(&key, owner).await.map_err(|failure| failure.message)? {
            left.push(key.to_string());
        }
    }
    Ok(left)
}

async fn let_go(context: &Context, owner: Option<&str>) -> Result<(), Message> {
    for (key, _) in protected() {
        if context.applier.let_go(&key, owner).await.map_err(|failure| failure.message)? {
            info!(object = %key, "no pod needs the network of Calico any more, so it may go");
        }
    }
    Ok(())
}

/// Workloads whose pods are on the pod network.
fn workloads() -> [ObjectKey; 2] {
    let key = |kind, name| ObjectKey::namespaced("apps/v1", kind, CALICO_SYSTEM, name);
    [key("Deployment", KUBE_CONTROLLERS), key("DaemonSet", CSI_NODE_DRIVER)]
}

/// What the CNI plugin needs to take pods down, with the plural of its kind.
fn protected() -> impl Iterator<Item = (ObjectKey, &'static str)> {
    const RBAC: &str = "rbac.authorization.k8s.io/v1";
    [CNI_PLUGIN, NODE].into_iter().flat_map(|name| {
        [
            (ObjectKey::cluster(RBAC, "ClusterRoleBinding", name), "clusterrolebindings"),
            (ObjectKey::cluster(RBAC, "ClusterRole", name), "clusterroles"),
            (ObjectKey::namespaced("v1", "ServiceAccount", CALICO_SYSTEM, name), "serviceaccounts"),
        ]
    })
}
