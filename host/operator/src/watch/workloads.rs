//! Rollout state of the DaemonSets and Deployments that the operator runs.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chimera_core::codes::{self, Code};
use chimera_core::hash;
use chimera_core::object::ObjectKey;
use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, DeploymentCondition};
use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::source::Observer;

/// Why a workload's controller does not get on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// What of the registry it is.
    pub code: &'static Code,
    /// For an administrator.
    pub text: String,
}

/// How far one workload is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rollout {
    /// The version of the object that this was read from.
    pub resource_version: String,
    /// The workload's controller has seen the current spec.
    pub observed: bool,
    /// Pods that should run.
    pub desired: i32,
    /// Pods that are there, of whatever template.
    pub existing: i32,
    /// Pods that run the current template.
    pub updated: i32,
    /// Pods that are available.
    pub available: i32,
    /// Why its controller does not get on, if it says so.
    pub stuck: Option<Stuck>,
    /// Label selector of its pods, as `k=v,k=v`.
    pub selector: String,
    /// Hashes in the pod template: of what its pods read.
    pub hashes: BTreeMap<String, String>,
    /// Tells apart what is written besides the status: labels, annotations, finalizers, owners and the spec.
    pub written: u64,
}

impl Rollout {
    /// Everything asked for is running, and nothing else: an available pod may be one of the former template.
    pub fn complete(&self) -> bool {
        self.observed && self.updated >= self.desired && self.available >= self.desired && self.existing <= self.updated
    }

    /// Whether it was read before this version of the object was written. Resource versions are numbers that grow
    /// (Kubernetes 1.35 and later promise it); what is no number is not compared.
    pub fn older_than(&self, written: &str) -> bool {
        matches!((self.resource_version.parse::<u64>(), written.parse::<u64>()), (Ok(seen), Ok(written)) if seen < written)
    }

    fn same(&self, other: &Self) -> bool {
        Self { resource_version: other.resource_version.clone(), ..self.clone() } == *other
    }
}

/// All of them.
#[derive(Debug, Default)]
pub struct Workloads(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    rollouts: BTreeMap<ObjectKey, Rollout>,
    /// Kinds of which all are known.
    listed: BTreeSet<&'static str>,
}

impl Workloads {
    /// How far each one of a namespace is; none as long as not all of them are known.
    pub fn within(&self, namespace: &str) -> Option<Vec<(ObjectKey, Rollout)>> {
        let state = self.lock();
        let there = state.rollouts.iter().filter(|(key, _)| key.namespace.as_deref() == Some(namespace));
        let there = there.map(|(key, rollout)| (key.clone(), rollout.clone())).collect();
        (state.listed.len() == KINDS.len()).then_some(there)
    }

    /// How far a workload is; none if it is not there.
    pub fn rollout(&self, key: &ObjectKey) -> Option<Rollout> {
        self.lock().rollouts.get(key).cloned()
    }

    fn put(&self, key: &ObjectKey, rollout: Rollout) -> bool {
        let before = self.lock().rollouts.insert(key.clone(), rollout.clone());
        before.is_none_or(|before| !before.same(&rollout))
    }

    fn only(&self, kind: &'static str, keys: &BTreeSet<ObjectKey>) {
        let mut state = self.lock();
        state.rollouts.retain(|key, _| key.kind != kind || keys.contains(key));
        state.listed.insert(kind);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics half way, so a poisoned lock still holds sound data.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const DAEMON_SET: &str = "DaemonSet";
const DEPLOYMENT: &str = "Deployment";
/// What is watched.
const KINDS: [&str; 2] = [DAEMON_SET, DEPLOYMENT];

impl Observer<DaemonSet> for Workloads {
    fn present(&self, key: &ObjectKey, object: &DaemonSet) -> bool {
        self.put(key, daemon_set(object))
    }
    fn gone(&self, key: &ObjectKey) {
        self.lock().rollouts.remove(key);
    }
    fn only(&self, keys: &BTreeSet<ObjectKey>) {
        Self::only(self, DAEMON_SET, keys);
    }
}

impl Observer<Deployment> for Workloads {
    fn present(&self, key: &ObjectKey, object: &Deployment) -> bool {
        self.put(key, deployment(object))
    }
    fn gone(&self, key: &ObjectKey) {
        self.lock().rollouts.remove(key);
    }
    fn only(&self, keys: &BTreeSet<ObjectKey>) {
        Self::only(self, DEPLOYMENT, keys);
    }
}

fn daemon_set(object: &DaemonSet) -> Rollout {
    let status = object.status.clone().unwrap_or_default();
    let labels = object.spec.as_ref().and_then(|spec| spec.selector.match_labels.as_ref());
    Rollout {
        resource_version: object.metadata.resource_version.clone().unwrap_or_default(),
        observed: observed(&object.metadata, status.observed_generation),
        desired: status.desired_number_scheduled,
        // Counted by nodes: a node that has a new pod and an old one counts once.
        existing: status.current_number_scheduled,
        updated: status.updated_number_scheduled.unwrap_or_default(),
        available: status.number_available.unwrap_or_default(),
        stuck: None,
        selector: selector(labels),
        hashes: hashes(object.spec.as_ref().map(|spec| &spec.template)),
        written: written(&object.metadata),
    }
}

fn deployment(object: &Deployment) -> Rollout {
    let status = object.status.clone().unwrap_or_default();
    let spec = object.spec.as_ref();
    Rollout {
        resource_version: object.metadata.resource_version.clone().unwrap_or_default(),
        observed: observed(&object.metadata, status.observed_generation),
        desired: spec.and_then(|spec| spec.replicas).unwrap_or(1),
        existing: status.replicas.unwrap_or_default(),
        updated: status.updated_replicas.unwrap_or_default(),
        available: status.available_replicas.unwrap_or_default(),
        stuck: stuck(status.conditions.as_deref().unwrap_or_default()),
        selector: selector(spec.and_then(|spec| spec.selector.match_labels.as_ref())),
        hashes: hashes(spec.map(|spec| &spec.template)),
        written: written(&object.metadata),
    }
}

fn stuck(conditions: &[DeploymentCondition]) -> Option<Stuck> {
    let find = |kind: &str, status: &str| conditions.iter().find(|c| c.type_ == kind && c.status == status);
    let message = |condition: &DeploymentCondition| {
        condition.message.as_deref().unwrap_or_default().trim_end_matches('.').to_owned()
    };
    if let Some(failure) = find("ReplicaFailure", "True") {
        let text = format!("the cluster does not let its pods be created: {}", message(failure));
        return Some(Stuck { code: &codes::PODS_NOT_CREATED, text });
    }
    let late = find("Progressing", "False").filter(|c| c.reason.as_deref() == Some("ProgressDeadlineExceeded"))?;
    Some(Stuck { code: &codes::ROLLOUT_STUCK, text: format!("it does not get on: {}", message(late)) })
}

fn hashes(template: Option<&PodTemplateSpec>) -> BTreeMap<String, String> {
    let annotations = template.and_then(|template| template.metadata.as_ref()?.annotations.clone());
    annotations.into_iter().flatten().filter(|(name, _)| hash::is_annotation(name)).collect()
}

fn observed(metadata: &ObjectMeta, generation: Option<i64>) -> bool {
    generation.is_some_and(|observed| metadata.generation.is_none_or(|wanted| observed >= wanted))
}

/// The generation stands for the spec.
fn written(metadata: &ObjectMeta) -> u64 {
    let ObjectMeta { labels, annotations, finalizers, owner_references, generation, deletion_timestamp, .. } = metadata;
    let owners: Vec<_> = owner_references.iter().flatten().map(|owner| (&owner.uid, owner.controller)).collect();
    let mut hasher = DefaultHasher::new();
    (labels, annotations, finalizers, owners, generation, deletion_timestamp.is_some()).hash(&mut hasher);
    hasher.finish()
}

fn selector(labels: Option<&BTreeMap<String, String>>) -> String {
    let pairs: Vec<_> = labels.into_iter().flatten().map(|(name, value)| format!("{name}={value}")).collect();
    pairs.join(",")
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::{DaemonSetStatus, DeploymentSpec, DeploymentStatus};

    use super::*;

    fn sheep(generation: i64, observed: i64, available: i32) -> DaemonSet {
        DaemonSet {
            metadata: ObjectMeta { generation: Some(generation), ..ObjectMeta::default() },
            status: Some(DaemonSetStatus {
                observed_generation: Some(observed),
                desired_number_scheduled: 3,
                updated_number_scheduled: Some(3),
                number_available: Some(available),
                ..DaemonSetStatus::default()
            }),
            ..DaemonSet::default()
        }
    }

    #[test]
    fn an_edit_of_the_metadata_alone_is_a_change_and_a_new_version_alone_is_none() {
        let (workloads, key) = (Workloads::default(), ObjectKey::namespaced("apps/v1", "DaemonSet", "meadow", "sheep"));
        let mut object = sheep(1, 1, 3);
        assert!(workloads.present(&key, &object));
        object.metadata.resource_version = Some("2".into());
        assert!(!workloads.present(&key, &object));
        object.metadata.annotations = Some(BTreeMap::from([("ignore".into(), "true".into())]));
        assert!(workloads.present(&key, &object));
    }

    #[test]
    fn a_daemon_set_is_complete_only_when_its_newest_spec_was_seen_and_every_pod_is_available() {
        assert!(daemon_set(&sheep(2, 2, 3)).complete());
        assert!(!daemon_set(&sheep(2, 1, 3)).complete());
        assert!(!daemon_set(&sheep(2, 2, 2)).complete());
    }

    #[test]
    fn a_deployment_with_an_old_pod_beside_the_new_ones_is_not_complete_and_a_refusal_is_told() {
        let with = |replicas, condition: &[(&str, &str, &str)]| {
            let conditions = condition.iter().map(|(kind, status, reason)| DeploymentCondition {
                type_: (*kind).into(),
                status: (*status).into(),
                reason: Some((*reason).into()),
                message: Some("exceeded quota.".into()),
                ..DeploymentCondition::default()
            });
            deployment(&Deployment {
                spec: Some(DeploymentSpec { replicas: Some(2), ..DeploymentSpec::default() }),
                status: Some(DeploymentStatus {
                    observed_generation: Some(1),
                    replicas: Some(replicas),
                    updated_replicas: Some(2),
                    available_replicas: Some(2),
                    conditions: Some(conditions.collect()),
                    ..DeploymentStatus::default()
                }),
                ..Deployment::default()
            })
        };
        assert!(with(2, &[("Progressing", "True", "NewReplicaSetAvailable")]).complete());
        assert!(!with(3, &[]).complete());
        let stuck = with(2, &[("ReplicaFailure", "True", "FailedCreate")]).stuck.unwrap();
        assert_eq!(stuck.text, "the cluster does not let its pods be created: exceeded quota");
        let stuck = with(2, &[("Progressing", "False", "ProgressDeadlineExceeded")]).stuck.unwrap();
        assert_eq!(stuck.code.id, codes::ROLLOUT_STUCK.id);
    }

    #[test]
    fn a_view_from_before_the_last_write_is_older() {
        let at = |version: &str| Rollout { resource_version: version.into(), ..Rollout::default() };
        assert!(at("9").older_than("10"));
        assert!(!at("10").older_than("10"));
        assert!(!at("x").older_than("10"));
    }

    #[test]
    fn what_is_there_is_known_only_after_both_kinds_were_listed() {
        let workloads = Workloads::default();
        let key = ObjectKey::namespaced("apps/v1", "DaemonSet", "meadow", "sheep");
        Observer::<DaemonSet>::present(&workloads, &key, &sheep(1, 1, 3));
        Observer::<DaemonSet>::only(&workloads, &BTreeSet::from([key]));
        assert!(workloads.within("meadow").is_none());
        Observer::<Deployment>::only(&workloads, &BTreeSet::new());
        assert_eq!(workloads.within("meadow").unwrap().len(), 1);
        assert!(workloads.within("barn").unwrap().is_empty());
    }
}
