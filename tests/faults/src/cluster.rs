//! Stands for kube-controller-manager, the scheduler and the kubelets: workloads become available after a while, a namespace
//! that is deleted empties, and what lost its owner goes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};

use crate::api::{Call, Key, Server, Verb};

/// Time that the controllers need to notice anything.
const NOTICE: Duration = Duration::from_millis(100);
/// Time that a rollout takes.
const ROLLOUT: Duration = Duration::from_secs(2);

/// Name that it writes under.
pub const MANAGER: &str = "kube-controller-manager";

/// Runs until dropped.
pub struct Cluster(JoinHandle<()>);

impl Cluster {
    /// Starts it.
    pub fn start(server: &Arc<Server>) -> Self {
        Self(tokio::spawn(run(Arc::clone(server))))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn run(server: Arc<Server>) {
    let mut changed = server.subscribe();
    let mut rollouts = BTreeMap::new();
    loop {
        changed.mark_unchanged();
        let next = workloads(&server, &mut rollouts);
        namespaces(&server);
        orphans(&server);
        let due = async {
            match next {
                Some(next) => sleep_until(next).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = changed.changed() => sleep(NOTICE).await,
            () = due => {}
        }
    }
}

fn objects(server: &Server, kinds: &[&str]) -> Vec<(Key, Arc<Value>)> {
    let store = server.store();
    let wanted = store.objects().iter().filter(|(key, _)| kinds.contains(&key.kind.kind.as_str()));
    wanted.map(|(key, object)| (key.clone(), Arc::clone(object))).collect()
}

/// Uid and generation of a workload, and when it will be rolled out.
type Rollouts = BTreeMap<Key, (String, i64, Instant)>;

/// Moves every rollout on; tells when to look again.
fn workloads(server: &Server, rollouts: &mut Rollouts) -> Option<Instant> {
    let mut next: Option<Instant> = None;
    for (key, object) in objects(server, &["DaemonSet", "Deployment"]) {
        let uid = object["metadata"]["uid"].as_str().unwrap_or_default().to_owned();
        let generation = object["metadata"]["generation"].as_i64().unwrap_or_default();
        let was_done = is_complete(&object, generation);
        let due = || if was_done { Instant::now() } else { Instant::now() + ROLLOUT };
        let entry = rollouts.entry(key.clone()).or_insert_with(|| (uid.clone(), generation, due()));
        if (&entry.0, entry.1) != (&uid, generation) {
            *entry = (uid, generation, due());
        }
        let done = entry.2;
        let complete = Instant::now() >= done;
        if !complete {
            next = Some(next.map_or(done, |next| next.min(done)));
        }
        let status = status(server, &key, &object, generation, complete);
        if object.get("status") != Some(&status) {
            let mut call = Call::on(Verb::Patch, &key, MANAGER);
            call.subresource = "status".into();
            call.body = json!({"status": status});
            // It may have gone meanwhile.
            let _ = server.answer(&call, 0);
        }
    }
    next
}

/// Whether its status says so already.
fn is_complete(object: &Value, generation: i64) -> bool {
    let status = &object["status"];
    let updated = status["updatedNumberScheduled"].as_i64().or(status["updatedReplicas"].as_i64());
    status["observedGeneration"].as_i64() == Some(generation) && updated.is_some_and(|updated| updated > 0)
}

fn status(server: &Server, key: &Key, object: &Value, generation: i64, complete: bool) -> Value {
    let old = object["status"]["numberAvailable"]
        .as_i64()
        .or(object["status"]["availableReplicas"].as_i64())
        .unwrap_or_default();
    if key.kind.kind == "DaemonSet" {
        let nodes = i64::try_from(objects(server, &["Node"]).len()).unwrap_or_default();
        let (updated, available) = if complete { (nodes, nodes) } else { (0, old.min(nodes)) };
        return json!({"observedGeneration": generation, "desiredNumberScheduled": nodes, "currentNumberScheduled": nodes,
            "numberMisscheduled": 0, "updatedNumberScheduled": updated, "numberAvailable": available, "numberReady": available});
    }
    let replicas = object["spec"]["replicas"].as_i64().unwrap_or(1);
    let (updated, available) = if complete { (replicas, replicas) } else { (0, old.min(replicas)) };
    json!({"observedGeneration": generation, "replicas": replicas, "updatedReplicas": updated, "readyReplicas": available,
        "availableReplicas": available})
}

fn namespaces(server: &Server) {
    for (key, namespace) in objects(server, &["Namespace"]) {
        if namespace.pointer("/metadata/deletionTimestamp").is_none() {
            continue;
        }
        let inside: Vec<_> =
            server.store().objects().keys().filter(|inside| inside.namespace == key.name).cloned().collect();
        inside.iter().for_each(|inside| server.delete(inside));
        let empty = !server.store().objects().keys().any(|inside| inside.namespace == key.name);
        if empty {
            server.remove(&key);
        }
    }
}

/// Deletes what has owners none of which is there any more.
fn orphans(server: &Server) {
    let (uids, owned): (BTreeSet<String>, Vec<_>) = {
        let store = server.store();
        let uid = |object: &Value| object["metadata"]["uid"].as_str().unwrap_or_default().to_owned();
        let uids = store.objects().values().map(|object| uid(object)).collect();
        let has_owners =
            |object: &Value| object["metadata"]["ownerReferences"].as_array().is_some_and(|owners| !owners.is_empty());
        let owned = store.objects().iter().filter(|(_, object)| has_owners(object));
        (uids, owned.map(|(key, object)| (key.clone(), Arc::clone(object))).collect())
    };
    for (key, object) in owned {
        let owners = object["metadata"]["ownerReferences"].as_array().cloned().unwrap_or_default();
        if owners.iter().all(|owner| !uids.contains(owner["uid"].as_str().unwrap_or_default())) {
            let _ = server.answer(&Call::on(Verb::Delete, &key, MANAGER), 0);
        }
    }
}
