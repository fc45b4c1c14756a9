//! The namespace itself.

use std::collections::BTreeMap;

use chimera_crds::installation::{AzurePolicyMode, InstallationSpec, Provider};
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::names::CALICO_SYSTEM;
use crate::render::meta;

/// The Namespace, with what its platform asks for.
pub(super) fn calico_system(spec: &InstallationSpec, provider: Provider) -> Namespace {
    let labels = labels().iter().chain(platform_labels(spec, provider));
    let annotations = strings(platform_annotations(provider));
    let metadata = ObjectMeta {
        labels: Some(strings(labels)),
        annotations: (!annotations.is_empty()).then_some(annotations),
        ..meta::cluster(CALICO_SYSTEM)
    };
    Namespace { metadata, ..Namespace::default() }
}

/// Pods here change their hosts, which pod security must allow.
fn labels() -> &'static [(&'static str, &'static str)] {
    &[
        ("name", CALICO_SYSTEM),
        ("pod-security.kubernetes.io/enforce", "privileged"),
        ("pod-security.kubernetes.io/enforce-version", "latest"),
    ]
}

fn platform_labels(spec: &InstallationSpec, provider: Provider) -> &'static [(&'static str, &'static str)] {
    let mode = spec.azure.as_ref().and_then(|azure| azure.policy_mode);
    match provider {
        // The platform's webhooks leave alone what is part of the control plane.
        Provider::Aks if mode != Some(AzurePolicyMode::Manual) => &[("control-plane", "true")],
        // Starts before the platform's own admission does.
        Provider::OpenShift => &[("openshift.io/run-level", "0")],
        _ => &[],
    }
}

fn platform_annotations(provider: Provider) -> &'static [(&'static str, &'static str)] {
    match provider {
        // No default node selector, and no labels but ours.
        Provider::OpenShift => {
            &[("openshift.io/node-selector", ""), ("security.openshift.io/scc.podSecurityLabelSync", "false")]
        }
        _ => &[],
    }
}

fn strings<'a>(pairs: impl IntoIterator<Item = &'a (&'a str, &'a str)>) -> BTreeMap<String, String> {
    pairs.into_iter().map(|&(key, value)| (key.into(), value.into())).collect()
}
