//! A pod without what nobody here asks for: who manages its fields alone is more than all the rest.

use k8s_openapi::api::core::v1::{Container, Pod, PodSpec, PodStatus, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use serde::Deserialize;

/// What of a pod is looked at.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Lean {
    metadata: Metadata,
    spec: Spec,
    status: Option<PodStatus>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Metadata {
    name: Option<String>,
    creation_timestamp: Option<Time>,
    deletion_timestamp: Option<Time>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Spec {
    node_name: Option<String>,
    init_containers: Option<Vec<LeanContainer>>,
    containers: Vec<LeanContainer>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct LeanContainer {
    name: String,
    image: Option<String>,
    resources: Option<ResourceRequirements>,
}

impl From<Lean> for Pod {
    fn from(Lean { metadata, spec, status }: Lean) -> Self {
        let Metadata { name, creation_timestamp, deletion_timestamp } = metadata;
        let Spec { node_name, init_containers, containers } = spec;
        let all = |lean: Vec<LeanContainer>| lean.into_iter().map(Container::from).collect();
        Self {
            metadata: ObjectMeta { name, creation_timestamp, deletion_timestamp, ..ObjectMeta::default() },
            spec: Some(PodSpec {
                node_name,
                init_containers: init_containers.map(all),
                containers: all(containers),
                ..PodSpec::default()
            }),
            status,
        }
    }
}

impl From<LeanContainer> for Container {
    fn from(LeanContainer { name, image, resources }: LeanContainer) -> Self {
        Self { name, image, resources, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::super::problem::problem;
    use super::*;

    #[test]
    fn what_is_wrong_with_a_pod_is_seen_as_well_in_its_lean_form() {
        let pod = json!({
            "metadata": {"name": "dolly", "managedFields": [{"manager": "shepherd"}], "creationTimestamp": "2030-01-01T00:00:00Z"},
            "spec": {"nodeName": "meadow", "containers": [{"name": "wool", "image": "registry.example.com/wool:1",
                "resources": {"limits": {"memory": "1Gi"}}}]},
            "status": {"containerStatuses": [{"name": "wool", "image": "", "imageID": "", "ready": false, "restartCount": 1,
                "state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]},
        });
        let now = Timestamp::from_second(1_900_000_000).unwrap();
        let whole: Pod = serde_json::from_value(pod.clone()).unwrap();
        let lean: Lean = serde_json::from_value(pod).unwrap();
        let told = problem(&lean.into(), now);
        assert_eq!(told, problem(&whole, now));
        assert!(told.unwrap().text.contains("its limit is 1Gi"));
    }
}
