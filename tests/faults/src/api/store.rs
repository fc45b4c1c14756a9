//! What is stored, and everything that was: versions grow over all objects, as in etcd.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::kinds::Kind;

/// What names an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// Its kind.
    pub kind: &'static Kind,
    /// Empty for cluster-scoped objects.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let slash = if self.namespace.is_empty() { "" } else { "/" };
        write!(f, "{} {}{slash}{}", self.kind.kind, self.namespace, self.name)
    }
}

/// What happened to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It has another version.
    Modified,
    /// It is gone.
    Deleted,
}

/// One change.
#[derive(Clone, Debug)]
pub struct Change {
    /// The version that it led to.
    pub version: u64,
    /// What happened.
    pub kind: ChangeKind,
    /// To which object.
    pub key: Key,
    /// The object after it, or as it went.
    pub object: Arc<Value>,
    /// The object before it.
    pub before: Option<Arc<Value>>,
    /// Who did it: the field manager.
    pub manager: String,
}

/// All objects.
#[derive(Clone, Debug, Default)]
pub struct Store {
    version: u64,
    uids: u64,
    objects: BTreeMap<Key, Arc<Value>>,
    log: Vec<Change>,
}

impl Store {
    /// The newest version.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// All that happened.
    pub fn log(&self) -> &[Change] {
        &self.log
    }

    /// All objects as they are.
    pub fn objects(&self) -> &BTreeMap<Key, Arc<Value>> {
        &self.objects
    }

    /// One object as it is.
    pub fn get(&self, key: &Key) -> Option<&Arc<Value>> {
        self.objects.get(key)
    }

    /// All objects as they were at a version.
    pub fn at(&self, version: u64) -> BTreeMap<Key, Arc<Value>> {
        if version >= self.version {
            return self.objects.clone();
        }
        let mut objects = BTreeMap::new();
        for change in self.log.iter().take_while(|change| change.version <= version) {
            match change.kind {
                ChangeKind::Deleted => objects.remove(&change.key),
                ChangeKind::Added | ChangeKind::Modified => {
                    objects.insert(change.key.clone(), Arc::clone(&change.object))
                }
            };
        }
        objects
    }

    /// An identity that no other object has or had.
    pub fn new_uid(&mut self) -> String {
        self.uids += 1;
        format!("00000000-0000-4000-8000-{:012x}", self.uids)
    }

    /// Stores an object, new or changed.
    pub fn put(&mut self, key: &Key, mut object: Value, manager: &str) -> Arc<Value> {
        let before = self.objects.get(key).cloned();
        let kind = if before.is_some() { ChangeKind::Modified } else { ChangeKind::Added };
        self.stamp(&mut object);
        let object = Arc::new(object);
        self.objects.insert(key.clone(), Arc::clone(&object));
        self.record(kind, key, &object, before, manager);
        object
    }

    /// Takes an object away.
    pub fn remove(&mut self, key: &Key, manager: &str) -> Option<Arc<Value>> {
        let before = self.objects.remove(key)?;
        let mut last = (*before).clone();
        self.stamp(&mut last);
        let last = Arc::new(last);
        self.record(ChangeKind::Deleted, key, &last, Some(before), manager);
        Some(last)
    }

    fn stamp(&mut self, object: &mut Value) {
        self.version += 1;
        object["metadata"]["resourceVersion"] = self.version.to_string().into();
    }

    fn record(&mut self, kind: ChangeKind, key: &Key, object: &Arc<Value>, before: Option<Arc<Value>>, manager: &str) {
        self.log.push(Change {
            version: self.version,
            kind,
            key: key.clone(),
            object: Arc::clone(object),
            before,
            manager: manager.into(),
        });
    }
}

impl Key {
    /// Of an object that says itself what it is.
    ///
    /// # Panics
    /// If its kind is not served.
    pub fn of(object: &Value) -> Self {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let (api_version, kind) = (text("/apiVersion"), text("/kind"));
        let Some(kind) = super::kinds::by_kind(api_version, kind) else { panic!("{api_version} {kind} is not served") };
        let namespace = if kind.namespaced { text("/metadata/namespace") } else { "" };
        Self { kind, namespace: namespace.into(), name: text("/metadata/name").into() }
    }

    /// By kind and name.
    ///
    /// # Panics
    /// If the kind is not served.
    pub fn new(api_version: &str, kind: &str, namespace: &str, name: &str) -> Self {
        let Some(kind) = super::kinds::by_kind(api_version, kind) else { panic!("{api_version} {kind} is not served") };
        Self { kind, namespace: namespace.into(), name: name.into() }
    }
}
