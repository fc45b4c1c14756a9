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
    /// Only objects with these labels; none: whatever their labels.
    pub labels: Option<String>,
}

impl Scope {
    /// Every object of a kind.
    pub fn all(api_version: &str, kind: &str) -> Self {
        Self { api_version: api_version.into(), kind: kind.into(), namespace: None, name: None, labels: None }
    }

    /// Whether an object is of this kind and place. Its labels are not known here.
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
    /// What each watch sees. Several may see one object, and it is gone when none does any more.
    seen: BTreeMap<Scope, BTreeSet<ObjectKey>>,
    /// Scopes whose first list is complete, so that "not seen" means "not there".
    listed: BTreeSet<Scope>,
}

impl Versions {
    /// Takes over one object that a watch sees; says whether that is news.
    pub fn seen(&self, scope: &Scope, key: ObjectKey, version: Version) -> bool {
        let mut state = self.lock();
        match state.seen.get_mut(scope) {
            Some(keys) => _ = keys.insert(key.clone()),
            None => _ = state.seen.insert(scope.clone(), BTreeSet::from([key.clone()])),
        }
        state.objects.insert(key, version.clone()).is_none_or(|before| before != version)
    }

    /// A watch does not see this object any more: it is gone, or lost its labels.
    pub fn gone(&self, scope: &Scope, key: &ObjectKey) {
        let mut state = self.lock();
        if let Some(keys) = state.seen.get_mut(scope) {
            keys.remove(key);
        }
        state.drop_unseen(key);
    }

    /// A watch's whole list is in: what it lacks is gone.
    pub fn listed(&self, scope: &Scope, present: &BTreeSet<ObjectKey>) {
        let mut state = self.lock();
        let before = state.seen.insert(scope.clone(), present.clone()).unwrap_or_default();
        before.difference(present).for_each(|key| state.drop_unseen(key));
        state.listed.insert(scope.clone());
    }

    /// Whether a watch has listed everything of a scope.
    pub fn is_listed(&self, scope: &Scope) -> bool {
        self.lock().listed.contains(scope)
    }

    /// Keys of all objects of a scope.
    pub fn keys(&self, scope: &Scope) -> Vec<ObjectKey> {
        self.lock().objects.keys().filter(|key| scope.covers(key)).cloned().collect()
    }

    /// Whether an object is surely not there: a watch that does not choose by labels would see it.
    pub fn lacks(&self, key: &ObjectKey) -> bool {
        let state = self.lock();
        let would_see = |scope: &Scope| scope.labels.is_none() && scope.covers(key);
        !state.objects.contains_key(key) && state.listed.iter().any(would_see)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics half way, so a poisoned lock still holds sound data.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn drop_unseen(&mut self, key: &ObjectKey) {
        if !self.seen.values().any(|keys| keys.contains(key)) {
            self.objects.remove(key);
        }
    }
}

impl LiveVersions for Versions {
    /// An object that no watch sees counts as absent where one looks only for the operator's labels, too: creating it
    /// tells whether it is there without them.
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
        Scope { namespace: Some("meadow".into()), ..Scope::all("v1", "Secret") }
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
        assert!(versions.seen(&scope(), key("wool"), version("1")));
        assert!(!versions.seen(&scope(), key("wool"), version("1")));
        assert!(versions.seen(&scope(), key("wool"), version("2")));
    }

    #[test]
    fn what_a_list_lacks_is_gone() {
        let versions = Versions::default();
        versions.seen(&scope(), key("wool"), version("1"));
        versions.seen(&scope(), key("milk"), version("1"));
        versions.listed(&scope(), &BTreeSet::from([key("milk")]));
        assert_eq!(versions.keys(&scope()), [key("milk")]);
    }

    #[test]
    fn what_a_watch_for_labels_lacks_may_be_there_without_them() {
        let (versions, labelled) = (Versions::default(), Scope { labels: Some("a=b".into()), ..scope() });
        let named = Scope { name: Some("wool".into()), ..scope() };
        versions.seen(&named, key("wool"), version("1"));
        versions.listed(&labelled, &BTreeSet::new());
        assert_eq!(versions.keys(&scope()), [key("wool")]);
        // Creating finds out; a reader has to look.
        assert_eq!(versions.version(&key("milk")), Known::Absent);
        assert!(!versions.lacks(&key("milk")));
        versions.listed(&named, &BTreeSet::new());
        assert!(versions.lacks(&key("wool")));
    }

    #[test]
    fn an_object_that_loses_its_labels_is_still_seen_by_the_others() {
        let (versions, labelled) = (Versions::default(), Scope { labels: Some("a=b".into()), ..scope() });
        versions.seen(&labelled, key("wool"), version("1"));
        versions.seen(&scope(), key("wool"), version("2"));
        versions.gone(&labelled, &key("wool"));
        assert_eq!(versions.keys(&scope()), [key("wool")]);
        versions.gone(&scope(), &key("wool"));
        assert!(versions.keys(&scope()).is_empty());
    }
}
