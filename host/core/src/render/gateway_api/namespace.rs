//! The namespace of the controller and its gateways, with the pull secrets that they need.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Namespace, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::names::TIGERA_GATEWAY;
use crate::render::meta;

/// The Namespace. Nothing in there needs more of its host than any other pod.
pub(super) fn tigera_gateway() -> Namespace {
    let labels = [
        ("name", TIGERA_GATEWAY),
        ("pod-security.kubernetes.io/enforce", "baseline"),
        ("pod-security.kubernetes.io/enforce-version", "latest"),
    ];
    let labels: BTreeMap<_, _> = labels.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
    Namespace { metadata: ObjectMeta { labels: Some(labels), ..meta::cluster(TIGERA_GATEWAY) }, ..Namespace::default() }
}

/// A copy of a pull secret. The original stays in the operator's namespace.
pub(super) fn copy(original: &Secret) -> Secret {
    Secret {
        metadata: meta::namespaced(TIGERA_GATEWAY, original.metadata.name.as_deref().unwrap_or_default()),
        data: original.data.clone(),
        type_: original.type_.clone(),
        ..Secret::default()
    }
}
