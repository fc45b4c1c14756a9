//! Nodes with the pods of both DaemonSets. Read whole and kept as a few words each, in pages.

use std::collections::BTreeMap;
use std::fmt::Debug;

use chimera_core::codes;
use chimera_core::message::Message;
use chimera_core::migrate::names::{KUBE_SYSTEM, LABEL, MIGRATED, NODE, PRE_OPERATOR};
use chimera_core::migrate::{Mark, NodeState};
use chimera_core::names::{APP_LABEL, CALICO_SYSTEM};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Node, NodeCondition, Pod};
use kube::api::ListParams;
use kube::{Api, Client};
use serde::de::DeserializeOwned;

use crate::client;
use crate::context::Context;

const PAGE: u32 = 500;

/// Linux nodes by name.
pub(super) async fn all(context: &Context) -> Result<Vec<NodeState>, Message> {
    read(&context.client).await
}

/// The same for a command, which has no more than a client.
pub(crate) async fn read(client: &Client) -> Result<Vec<NodeState>, Message> {
    let mut pods = Pods::default();
    for namespace in [KUBE_SYSTEM, CALICO_SYSTEM] {
        let params = ListParams::default().labels(&format!("{APP_LABEL}={NODE}"));
        each(&Api::<Pod>::namespaced(client.clone(), namespace), &params, "Pods", |pod| pods.take(&pod)).await?;
    }
    let mut nodes = Vec::new();
    each(&Api::<Node>::all(client.clone()), &ListParams::default(), "Nodes", |node| nodes.extend(pods.state(&node)))
        .await?;
    nodes.sort_by(|a: &NodeState, b| a.name.cmp(&b.name));
    Ok(nodes)
}

/// The same from objects at hand.
pub(crate) fn of(nodes: &[Node], pods: &[Pod]) -> Vec<NodeState> {
    let mut ready = Pods::default();
    pods.iter().for_each(|pod| ready.take(pod));
    let mut nodes: Vec<_> = nodes.iter().filter_map(|node| ready.state(node)).collect();
    nodes.sort_by(|a, b| a.name.cmp(&b.name));
    nodes
}

/// Whether the pod of each DaemonSet on each node is ready.
#[derive(Debug, Default)]
struct Pods {
    old: BTreeMap<String, bool>,
    new: BTreeMap<String, bool>,
}

impl Pods {
    fn take(&mut self, pod: &Pod) {
        let app = pod.metadata.labels.as_ref().and_then(|labels| labels.get(APP_LABEL));
        let map = match pod.metadata.namespace.as_deref() {
            Some(KUBE_SYSTEM) => &mut self.old,
            Some(CALICO_SYSTEM) => &mut self.new,
            _ => return,
        };
        let node = pod.spec.as_ref().and_then(|spec| spec.node_name.clone());
        if let Some(node) = node.filter(|_| app.is_some_and(|app| app == NODE)) {
            // While one pod makes way for another, the node is ready as soon as one of them is.
            *map.entry(node).or_default() |= is_ready(pod);
        }
    }

    fn state(&self, node: &Node) -> Option<NodeState> {
        state(node, &self.old, &self.new)
    }
}

async fn each<K>(api: &Api<K>, params: &ListParams, what: &str, mut take: impl FnMut(K)) -> Result<(), Message>
where
    K: Clone + DeserializeOwned + Debug,
{
    let mut params = params.clone().limit(PAGE);
    loop {
        let page = api
            .list(&params)
            .await
            .map_err(|error| Message::new(&codes::CLUSTER_READ_FAILED, client::reason(&error, "list")).on(what))?;
        page.items.into_iter().for_each(&mut take);
        match page.metadata.continue_.filter(|next| !next.is_empty()) {
            Some(next) => params = params.continue_token(&next),
            None => return Ok(()),
        }
    }
}

fn is_ready(pod: &Pod) -> bool {
    let conditions = pod.status.as_ref().and_then(|status| status.conditions.as_ref()).into_iter().flatten();
    let ready = conditions.into_iter().any(|condition| condition.type_ == "Ready" && condition.status == "True");
    ready && pod.metadata.deletion_timestamp.is_none()
}

fn state(node: &Node, old: &BTreeMap<String, bool>, new: &BTreeMap<String, bool>) -> Option<NodeState> {
    let name = node.metadata.name.clone()?;
    let labels = node.metadata.labels.as_ref();
    let label = |key: &str| labels.and_then(|labels| labels.get(key)).map(String::as_str);
    if label("kubernetes.io/os").is_some_and(|os| os != "linux") {
        return None;
    }
    let conditions = node.status.as_ref().and_then(|status| status.conditions.as_ref()).into_iter().flatten();
    let ready = conditions.into_iter().find(|condition| condition.type_ == "Ready");
    Some(NodeState {
        mark: match label(LABEL) {
            Some(PRE_OPERATOR) => Some(Mark::PreOperator),
            Some(MIGRATED) => Some(Mark::Migrated),
            _ => None,
        },
        ready: ready.is_some_and(|condition| condition.status == "True"),
        since: ready.and_then(since),
        old_pod: old.get(&name).copied(),
        new_pod: new.get(&name).copied(),
        name,
    })
}

fn since(condition: &NodeCondition) -> Option<Timestamp> {
    condition.last_transition_time.as_ref().map(|time| time.0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn node(labels: serde_json::Value, ready: &str) -> Node {
        serde_json::from_value(json!({"metadata": {"name": "barn", "labels": labels}, "status": {"conditions": [
            {"type": "Ready", "status": ready, "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}))
        .unwrap()
    }

    #[test]
    fn a_node_is_known_by_its_label_its_condition_and_its_pods() {
        let (old, new) = (BTreeMap::from([("barn".to_owned(), true)]), BTreeMap::new());
        let state = state(&node(json!({LABEL: PRE_OPERATOR}), "Unknown"), &old, &new).unwrap();
        assert_eq!((state.mark, state.ready), (Some(Mark::PreOperator), false));
        assert_eq!((state.old_pod, state.new_pod), (Some(true), None));
        assert_eq!(state.since.unwrap().to_string(), "2026-01-01T00:00:00Z");
    }

    #[test]
    fn nodes_of_other_systems_do_not_move() {
        let none = BTreeMap::new();
        assert_eq!(state(&node(json!({"kubernetes.io/os": "windows"}), "True"), &none, &none), None);
    }

    #[test]
    fn a_pod_that_is_being_deleted_is_not_ready() {
        let pod = |deleted: serde_json::Value| {
            serde_json::from_value(json!({"metadata": {"deletionTimestamp": deleted},
                "status": {"conditions": [{"type": "Ready", "status": "True"}]}}))
            .unwrap()
        };
        assert!(is_ready(&pod(json!(null))));
        assert!(!is_ready(&pod(json!("2026-01-01T00:00:00Z"))));
    }
}
