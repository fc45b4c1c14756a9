//! Nodes that pods are kept off, by platform: virtual ones, which have no host network to set up.

use chimera_crds::installation::Provider;
use k8s_openapi::api::core::v1::{Affinity, NodeAffinity, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm};

/// Of what runs on every real node.
pub(crate) fn real_nodes(provider: Provider) -> Option<Affinity> {
    let requirement = match provider {
        Provider::Aks => not_in("type", "virtual-kubelet"),
        Provider::Eks => not_in("eks.amazonaws.com/compute-type", "fargate"),
        _ => return None,
    };
    let node_affinity = NodeAffinity {
        required_during_scheduling_ignored_during_execution: Some(all_of(vec![requirement])),
        ..NodeAffinity::default()
    };
    Some(Affinity { node_affinity: Some(node_affinity), ..Affinity::default() })
}

/// A node selector that all requirements must hold for.
pub(crate) fn all_of(requirements: Vec<NodeSelectorRequirement>) -> NodeSelector {
    let term = NodeSelectorTerm { match_expressions: Some(requirements), ..NodeSelectorTerm::default() };
    NodeSelector { node_selector_terms: vec![term] }
}

/// The node's label does not have the value.
pub(crate) fn not_in(label: &str, value: &str) -> NodeSelectorRequirement {
    NodeSelectorRequirement { key: label.into(), operator: "NotIn".into(), values: Some(vec![value.into()]) }
}

/// The node has the label.
pub(crate) fn exists(label: &str) -> NodeSelectorRequirement {
    NodeSelectorRequirement { key: label.into(), operator: "Exists".into(), ..NodeSelectorRequirement::default() }
}
