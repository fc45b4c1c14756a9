//! Identity and version of every object that is watched: what apply and dereference need to skip a request.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chimera_core::object::ObjectKey;

use crate::apply::live::{Known, LiveVersions};

/// What one watch covers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scope {
    /// `apps/v1`.
    pub api_version: String,
    /// `DaemonSet`.
    pub kind: String,
    /// Only this namespace; none: all, or a cluster-scoped kind.
    pub namespace: Option<String>,
    /// Only the object of this name; none: all.
    pub name: Option<String>,
}

impl Scope {
    fn covers(&self, key: &ObjectKey) -> bool {
        self.api_version == key.api_version
            && self.kind == key.kind
            && self.namespace.as_ref().is_none_or(|namespace| key.namespace.as_ref() == Some(namespace))
            && self.name.as_ref().is_none_or(|name| key.name == *name)
    }
}

/// One object's identity and version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// `metadata.uid`.
    pub uid: String,
    /// `metadata.resourceVersion`.
    pub resource_version: String,
}

/// All versions seen.
#[derive(Debug, Default)]
pub struct Versions(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    objects: BTreeMap<ObjectKey, Version>,
    /// Scopes whose first list is complete, so that "not seen" means "not there".
    listed: BTreeSet<Scope>,
}

impl Versions {
    /// Takes over one object; says whether that is news.
    pub fn seen(&self, key: ObjectKey, version: Version) -> bool {
        let mut state = self.lock();
        state.objects.insert(key, version.clone()).is_none_or(|before| before != version)
    }

    /// Forgets one object.
    pub fn gone(&self, key: &ObjectKey) {
        self.lock().objects.remove(key);
    }

    /// A whole list is in: what it lacks is gone.
    pub fn listed(&self, scope: &Scope, present: &BTreeSet<ObjectKey>) {
        let mut state = self.lock();
        state.objects.retain(|key, _| !scope.covers(key) || present.contains(key));
        state.listed.insert(scope.clone());
    }

    /// Keys of all objects of a scope.
    pub fn keys(&self, scope: &Scope) -> Vec<ObjectKey> {
        self.lock().objects.keys().filter(|key| scope.covers(key)).cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics half way, so a poisoned lock still holds sound data.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LiveVersions for Versions {
    fn version(&self, key: &ObjectKey) -> Known {
        let state = self.lock();
        match state.objects.get(key) {
            Some(version) => Known::At { uid: version.uid.clone(), resource_version: version.resource_version.clone() },
            None if state.listed.iter().any(|scope| scope.covers(key)) => Known::Absent,
            None => Known::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope() -> Scope {
        Scope { api_version: "v1".into(), kind: "Secret".into(), namespace: Some("meadow".into()), name: None }
    }

    fn key(name: &str) -> ObjectKey {
        ObjectKey::namespaced("v1", "Secret", "meadow", name)
    }

    fn version(resource_version: &str) -> Version {
        Version { uid: "u".into(), resource_version: resource_version.into() }
    }

    #[test]
    fn an_object_is_absent_only_after_its_scope_was_listed() {
        let versions = Versions::default();
        assert_eq!(versions.version(&key("wool")), Known::Unknown);
        versions.listed(&scope(), &BTreeSet::new());
        assert_eq!(versions.version(&key("wool")), Known::Absent);
        let elsewhere = ObjectKey::namespaced("v1", "Secret", "barn", "wool");
        assert_eq!(versions.version(&elsewhere), Known::Unknown);
    }

    #[test]
    fn the_same_version_twice_is_no_news() {
        let versions = Versions::default();
        assert!(versions.seen(key("wool"), version("1")));
        assert!(!versions.seen(key("wool"), version("1")));
        assert!(versions.seen(key("wool"), version("2")));
    }

    #[test]
    fn what_a_list_lacks_is_gone() {
        let versions = Versions::default();
        versions.seen(key("wool"), version("1"));
        versions.seen(key("milk"), version("1"));
        versions.listed(&scope(), &BTreeSet::from([key("milk")]));
        assert_eq!(versions.keys(&scope()), [key("milk")]);
    }
}
