//! Pods that still need the CNI plugin.

use chimera_core::codes;
use chimera_core::message::Message;
use chimera_core::names::{APP_LABEL, CALICO_SYSTEM, CSI_NODE_DRIVER, KUBE_CONTROLLERS};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::ListParams;

use crate::client;
use crate::context::Context;

/// A pod whose node is dead never ends; this long after it should have, nothing waits for it any more.
const OVERDUE: SignedDuration = SignedDuration::from_mins(5);
/// As many are named.
const NAMED: usize = 3;

/// Pods of the operator's that are on the pod network, each with its node.
pub(super) async fn left(context: &Context) -> Result<Vec<String>, Message> {
    let pods: Api<Pod> = Api::namespaced(context.client.clone(), CALICO_SYSTEM);
    let names = [KUBE_CONTROLLERS, CSI_NODE_DRIVER].into_iter().chain(super::following::WORKLOADS);
    let labels = format!("{APP_LABEL} in ({})", names.collect::<Vec<_>>().join(","));
    let found = pods.list(&ListParams::default().labels(&labels)).await.map_err(|error| {
        let detail = client::reason(&error, "list");
        Message::new(&codes::CLUSTER_READ_FAILED, detail).on(format!("Pods of {CALICO_SYSTEM}"))
    })?;
    let now = context.clock.now();
    Ok(found.items.iter().filter(|pod| needs_network(pod, now)).map(name).collect())
}

/// A pod on the host's network has nothing that the CNI plugin would take down.
fn needs_network(pod: &Pod, now: Timestamp) -> bool {
    let on_host = pod.spec.as_ref().and_then(|spec| spec.host_network) == Some(true);
    let deadline = pod.metadata.deletion_timestamp.as_ref().and_then(|time| time.0.checked_add(OVERDUE).ok());
    !on_host && deadline.is_none_or(|deadline| now < deadline)
}

fn name(pod: &Pod) -> String {
    let name = pod.metadata.name.as_deref().unwrap_or_default();
    match pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref()) {
        Some(node) => format!("Pod {CALICO_SYSTEM}/{name} on node {node}"),
        None => format!("Pod {CALICO_SYSTEM}/{name}"),
    }
}

/// What is waited for, in words.
pub(super) fn waiting(left: &[String]) -> String {
    let named: Vec<_> = left.iter().take(NAMED).map(String::as_str).collect();
    let more = match left.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("the CNI plugin's account is kept until these are gone: {}{more}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn pod(metadata: Value, spec: Value) -> Pod {
        serde_json::from_value(json!({"metadata": metadata, "spec": spec})).unwrap()
    }

    #[test]
    fn a_pod_is_waited_for_until_it_is_long_overdue() {
        let leaving = pod(json!({"deletionTimestamp": "2026-01-01T00:00:00Z"}), json!({"containers": []}));
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        assert!(needs_network(&leaving, at("2026-01-01T00:04:59Z")));
        assert!(!needs_network(&leaving, at("2026-01-01T00:05:00Z")));
        let running = pod(json!({}), json!({"containers": []}));
        assert!(needs_network(&running, at("2026-01-01T00:05:00Z")));
        let on_host = pod(json!({}), json!({"containers": [], "hostNetwork": true}));
        assert!(!needs_network(&on_host, at("2026-01-01T00:05:00Z")));
    }

    #[test]
    fn what_is_waited_for_is_named_but_not_at_length() {
        let left: Vec<_> = (1..=5).map(|number| format!("Pod a/{number}")).collect();
        assert!(waiting(&left).ends_with("gone: Pod a/1, Pod a/2, Pod a/3 and 2 more"), "{}", waiting(&left));
    }
}
