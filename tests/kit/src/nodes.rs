//! The simulated nodes.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use k8s_openapi::api::core::v1::{Node, NodeAddress, NodeStatus, NodeSystemInfo};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube::Client;

use crate::binaries::kubernetes_version;
use kube::api::{Api, ListParams, ObjectMeta, PostParams};

/// As many as the addresses go.
const MOST: usize = 60_000;

/// Creates `node-1` to `node-COUNT`, those that do not exist.
pub(crate) async fn create(client: &Client, count: usize) -> Result<()> {
    ensure!(count <= MOST, "{count} nodes are more than {MOST}");
    let api: Api<Node> = Api::all(client.clone());
    for number in 1..=count {
        match api.create(&PostParams::default(), &node(number)).await {
            Ok(_) => {}
            Err(kube::Error::Api(status)) if status.is_already_exists() => {}
            Err(error) => return Err(error).with_context(|| format!("failed to create node-{number}")),
        }
    }
    Ok(())
}

/// Fails unless there are `count` nodes at least and all are Ready and untainted.
pub(crate) async fn ready(client: &Client, count: usize) -> Result<()> {
    let api: Api<Node> = Api::all(client.clone());
    let nodes = api.list(&ListParams::default()).await.context("failed to list the nodes")?.items;
    ensure!(nodes.len() >= count, "there are {} of {count} nodes", nodes.len());
    for node in nodes {
        let name = node.metadata.name.unwrap_or_default();
        let conditions = node.status.and_then(|status| status.conditions).unwrap_or_default();
        let ready = conditions.iter().any(|condition| condition.type_ == "Ready" && condition.status == "True");
        // The node controller lifts this taint a moment after the condition changed.
        let taints = node.spec.and_then(|spec| spec.taints).unwrap_or_default();
        if !ready || taints.iter().any(|taint| taint.key == "node.kubernetes.io/not-ready") {
            bail!("{name} is not ready");
        }
    }
    Ok(())
}

fn node(number: usize) -> Node {
    let name = format!("node-{number}");
    let labels =
        [("kubernetes.io/arch", "amd64"), ("kubernetes.io/hostname", name.as_str()), ("kubernetes.io/os", "linux")];
    Node {
        metadata: ObjectMeta {
            labels: Some(labels.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()),
            name: Some(name.clone()),
            ..Default::default()
        },
        status: Some(status(number, name)),
        ..Default::default()
    }
}

fn status(number: usize, name: String) -> NodeStatus {
    // From 172.18.1.1 on, next to the address that kube-apiserver advertises.
    let address = format!("172.18.{}.{}", 1 + (number - 1) / 250, (number - 1) % 250 + 1);
    NodeStatus {
        addresses: Some(vec![
            NodeAddress { address, type_: "InternalIP".into() },
            NodeAddress { address: name, type_: "Hostname".into() },
        ]),
        allocatable: Some(capacity()),
        capacity: Some(capacity()),
        node_info: Some(NodeSystemInfo {
            architecture: "amd64".into(),
            container_runtime_version: "containerd://2.2.0".into(),
            kernel_version: "6.12.0".into(),
            kubelet_version: kubernetes_version().into(),
            operating_system: "linux".into(),
            os_image: "simulated".into(),
            ..Default::default()
        }),
        ..Default::default()
    }
}

fn capacity() -> BTreeMap<String, Quantity> {
    let resources = [("cpu", "16"), ("ephemeral-storage", "100Gi"), ("memory", "64Gi"), ("pods", "110")];
    resources.into_iter().map(|(name, amount)| (name.into(), Quantity(amount.into()))).collect()
}
