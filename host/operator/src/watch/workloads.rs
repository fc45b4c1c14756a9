//! Rollout state of the DaemonSets and Deployments that the operator runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chimera_core::object::ObjectKey;
use k8s_openapi::api::apps::v1::{DaemonSet, Deployment};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::source::Observer;

/// How far one workload is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rollout {
    /// The version of the object that this was read from.
    pub resource_version: String,
    /// The workload's controller has seen the current spec.
    pub observed: bool,
    /// Pods that should run.
    pub desired: i32,
    /// Pods that run the current template.
    pub updated: i32,
    /// Pods that are available.
    pub available: i32,
    /// Label selector of its pods, as `k=v,k=v`.
    pub selector: String,
}

impl Rollout {
    /// Everything asked for is running.
    pub fn complete(&self) -> bool {
        self.observed && self.updated >= self.desired && self.available >= self.desired
    }

    fn same(&self, other: &Self) -> bool {
        let Self { resource_version: _, observed, desired, updated, available, selector } = self;
        (observed, desired, updated, available, selector)
            == (&other.observed, &other.desired, &other.updated, &other.available, &other.selector)
    }
}

/// All of them.
#[derive(Debug, Default)]
pub struct Workloads(Mutex<BTreeMap<ObjectKey, Rollout>>);

impl Workloads {
    /// How far a workload is; none if it is not there.
    pub fn rollout(&self, key: &ObjectKey) -> Option<Rollout> {
        self.lock().get(key).cloned()
    }

    fn put(&self, key: &ObjectKey, rollout: Rollout) -> bool {
        let before = self.lock().insert(key.clone(), rollout.clone());
        before.is_none_or(|before| !before.same(&rollout))
    }

    fn only(&self, kind: &str, keys: &BTreeSet<ObjectKey>) {
        self.lock().retain(|key, _| key.kind != kind || keys.contains(key));
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<ObjectKey, Rollout>> {
        // Nothing in here panics half way, so a poisoned lock still holds sound data.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer<DaemonSet> for Workloads {
    fn present(&self, key: &ObjectKey, object: &DaemonSet) -> bool {
        self.put(key, daemon_set(object))
    }
    fn gone(&self, key: &ObjectKey) {
        self.lock().remove(key);
    }
    fn only(&self, keys: &BTreeSet<ObjectKey>) {
        Self::only(self, "DaemonSet", keys);
    }
}

impl Observer<Deployment> for Workloads {
    fn present(&self, key: &ObjectKey, object: &Deployment) -> bool {
        self.put(key, deployment(object))
    }
    fn gone(&self, key: &ObjectKey) {
        self.lock().remove(key);
    }
    fn only(&self, keys: &BTreeSet<ObjectKey>) {
        Self::only(self, "Deployment", keys);
    }
}

fn daemon_set(object: &DaemonSet) -> Rollout {
    let status = object.status.clone().unwrap_or_default();
    let labels = object.spec.as_ref().and_then(|spec| spec.selector.match_labels.as_ref());
    Rollout {
        resource_version: object.metadata.resource_version.clone().unwrap_or_default(),
        observed: observed(&object.metadata, status.observed_generation),
        desired: status.desired_number_scheduled,
        updated: status.updated_number_scheduled.unwrap_or_default(),
        available: status.number_available.unwrap_or_default(),
        selector: selector(labels),
    }
}

fn deployment(object: &Deployment) -> Rollout {
    let status = object.status.clone().unwrap_or_default();
    let spec = object.spec.as_ref();
    Rollout {
        resource_version: object.metadata.resource_version.clone().unwrap_or_default(),
        observed: observed(&object.metadata, status.observed_generation),
        desired: spec.and_then(|spec| spec.replicas).unwrap_or(1),
        updated: status.updated_replicas.unwrap_or_default(),
        available: status.available_replicas.unwrap_or_default(),
        selector: selector(spec.and_then(|spec| spec.selector.match_labels.as_ref())),
    }
}

fn observed(metadata: &ObjectMeta, generation: Option<i64>) -> bool {
    generation.is_some_and(|observed| metadata.generation.is_none_or(|wanted| observed >= wanted))
}

fn selector(labels: Option<&BTreeMap<String, String>>) -> String {
    let pairs: Vec<_> = labels.into_iter().flatten().map(|(name, value)| format!("{name}={value}")).collect();
    pairs.join(",")
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::DaemonSetStatus;

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
    fn a_daemon_set_is_complete_only_when_its_newest_spec_was_seen_and_every_pod_is_available() {
        assert!(daemon_set(&sheep(2, 2, 3)).complete());
        assert!(!daemon_set(&sheep(2, 1, 3)).complete());
        assert!(!daemon_set(&sheep(2, 2, 2)).complete());
    }
}
