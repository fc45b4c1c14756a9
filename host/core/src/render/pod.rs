//! Pieces of pods that several components share.

pub(crate) mod affinity;
pub(crate) mod certificates;
pub(crate) mod env;
pub(crate) mod probe;
pub(crate) mod security_context;
pub(crate) mod toleration;
pub(crate) mod volume;

use k8s_openapi::api::core::v1::{PodSpec, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::installation::config::InstallationConfig;

/// Path of the binary that most components are part of, in their image.
pub(crate) const CALICO_BINARY: &str = "/usr/bin/calico";

/// How pods on the host's network ask the cluster's DNS.
pub(crate) const DNS_ON_HOST: &str = "ClusterFirstWithHostNet";

/// A pod template, with what every pod of an Installation has.
pub(crate) fn template(config: &InstallationConfig, metadata: ObjectMeta, spec: PodSpec) -> PodTemplateSpec {
    let mut spec = PodSpec { image_pull_secrets: config.spec.image_pull_secrets.clone(), ..spec };
    let containers = spec.init_containers.iter_mut().flatten().chain(&mut spec.containers);
    containers.for_each(|container| {
        let api_group = env::api_group(config.cluster.api_group);
        container.env = some(container.env.take().into_iter().flatten().chain(api_group).collect());
    });
    PodTemplateSpec { metadata: Some(metadata), spec: Some(spec) }
}

/// Command of a component of the `calico` binary.
pub(crate) fn component_command(arguments: &[&str]) -> Option<Vec<String>> {
    words([CALICO_BINARY, "component"].iter().chain(arguments).copied())
}

/// A command or arguments.
pub(crate) fn words<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<Vec<String>> {
    Some(words.into_iter().map(Into::into).collect())
}

/// Annotations by which Prometheus finds a pod and its port.
pub(crate) fn scraped_at(port: i32) -> [(String, String); 2] {
    [("prometheus.io/scrape".into(), "true".into()), ("prometheus.io/port".into(), port.to_string())]
}

/// A list as an optional field: an empty one is left out.
pub(crate) fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}
