//! Of each Node only its labels are kept, so that thousands of them cost little.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chimera_core::object::ObjectKey;
use kube::api::DynamicObject;
use kube::core::PartialObjectMeta;

use super::source::Observer;

/// Labels that say something to the operator: operating system, role, the provider's marks, and which install serves it.
const KEPT: [&str; 8] = [
    "kubernetes.io/os",
    "node-role.kubernetes.io/",
    "node.kubernetes.io/instance-type",
    "eks.amazonaws.com/",
    "cloud.google.com/gke-",
    "kubernetes.azure.com/",
    "com.docker.ucp.",
    chimera_core::migrate::names::LABEL,
];

/// Labels of all Nodes.
#[derive(Debug, Default)]
pub struct Nodes(Mutex<BTreeMap<String, BTreeMap<String, String>>>);

impl Nodes {
    /// The kept labels of each Node, by its name.
    pub fn labels(&self) -> BTreeMap<String, BTreeMap<String, String>> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, BTreeMap<String, String>>> {
        // Nothing in here panics half way, so a poisoned lock still holds sound data.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer<PartialObjectMeta<DynamicObject>> for Nodes {
    fn present(&self, key: &ObjectKey, object: &PartialObjectMeta<DynamicObject>) -> bool {
        let labels = object.metadata.labels.iter().flatten();
        let kept: BTreeMap<_, _> = labels
            .filter(|(name, _)| KEPT.iter().any(|kept| name.starts_with(kept)))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        self.lock().insert(key.name.clone(), kept.clone()).is_none_or(|before| before != kept)
    }
    fn gone(&self, key: &ObjectKey) {
        self.lock().remove(&key.name);
    }
    fn only(&self, keys: &BTreeSet<ObjectKey>) {
        self.lock().retain(|name, _| keys.iter().any(|key| key.name == *name));
    }
}
