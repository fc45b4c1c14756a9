//! Nodes that pods are kept off: by platform virtual ones, which have no host network to set up, and those that have a
//! replica already.

use std::collections::BTreeMap;

use chimera_crds::installation::Provider;
use k8s_openapi::api::core::v1::{
    Affinity, NodeAffinity, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PodAffinityTerm, PodAntiAffinity,
    WeightedPodAffinityTerm,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::words;
use crate::names::APP_LABEL;

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

/// Replicas are kept apart where possible: on other nodes, and in other zones. `app`: their label; `namespaces`: where
/// they may be.
pub(crate) fn apart(app: &str, namespaces: &[&str]) -> Affinity {
    let weighted = |topology: &str| WeightedPodAffinityTerm {
        weight: 100,
        pod_affinity_term: PodAffinityTerm {
            label_selector: Some(LabelSelector {
                match_labels: Some(BTreeMap::from([(APP_LABEL.into(), app.into())])),
                ..LabelSelector::default()
            }),
            namespaces: words(namespaces.iter().copied()),
            topology_key: topology.into(),
            ..PodAffinityTerm::default()
        },
    };
    let terms = ["kubernetes.io/hostname", "topology.kubernetes.io/zone"].map(weighted);
    let pod_anti_affinity = PodAntiAffinity {
        preferred_during_scheduling_ignored_during_execution: Some(terms.into()),
        ..PodAntiAffinity::default()
    };
    Affinity { pod_anti_affinity: Some(pod_anti_affinity), ..Affinity::default() }
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
