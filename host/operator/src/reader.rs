//! Reads objects, and reads them again only if their version is another.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use chimera_core::object::ObjectKey;
use kube::api::{ApiResource, DynamicObject, ListParams, TypeMeta};
use kube::{Api, Client};
use serde_json::Value;

use crate::apply::live::{Known, LiveVersions};
use crate::watch::versions::{Scope, Versions};

/// An object could not be read.
#[derive(Debug, thiserror::Error)]
#[error("failed to read {key}")]
pub struct Error {
    /// Which one.
    pub key: ObjectKey,
    /// Why.
    #[source]
    pub source: Box<kube::Error>,
}

impl Error {
    /// Why, for an administrator.
    pub fn reason(&self) -> String {
        crate::client::reason(&self.source, "get")
    }
}

/// Reads through the versions that the watches report.
pub struct Reader {
    client: Client,
    versions: Arc<Versions>,
    cache: Mutex<BTreeMap<ObjectKey, (String, Arc<Value>)>>,
    asked: Mutex<BTreeSet<ObjectKey>>,
}

impl Reader {
    /// A reader with an empty cache.
    pub fn new(client: Client, versions: Arc<Versions>) -> Self {
        Self { client, versions, cache: Mutex::default(), asked: Mutex::default() }
    }

    /// One object, from memory if its version is the one read before; none if it is not there.
    ///
    /// # Errors
    /// If the API server does not answer or forbids it.
    pub async fn get(&self, key: &ObjectKey, plural: &str) -> Result<Option<Arc<Value>>, Error> {
        self.note(key);
        if self.versions.lacks(key) {
            self.forget(key);
            return Ok(None);
        }
        let version = self.versions.version(key);
        if let (Known::At { resource_version, .. }, Some((cached, value))) = (&version, self.cached(key))
            && *resource_version == cached
        {
            return Ok(Some(value));
        }
        self.fetch(key, plural).await
    }

    /// As [`Reader::all`]; by one request if the watch has not listed them yet, so that none is missed.
    ///
    /// # Errors
    /// As there.
    pub async fn every(&self, scope: &Scope, plural: &str) -> Result<Vec<Arc<Value>>, Error> {
        match self.versions.is_listed(scope) {
            true => self.all(scope, plural).await,
            false => self.list(scope, plural).await,
        }
    }

    /// All objects of a scope that its watch has seen, each as in [`Reader::get`].
    ///
    /// # Errors
    /// If one of them cannot be read.
    pub async fn all(&self, scope: &Scope, plural: &str) -> Result<Vec<Arc<Value>>, Error> {
        let mut objects = Vec::new();
        for key in self.versions.keys(scope) {
            objects.extend(self.get(&key, plural).await?);
        }
        Ok(objects)
    }

    /// All objects of a cluster-scoped kind, as the API server has them now.
    ///
    /// # Errors
    /// If it does not answer or forbids it.
    pub async fn list(&self, scope: &Scope, plural: &str) -> Result<Vec<Arc<Value>>, Error> {
        let all = ObjectKey::cluster(&scope.api_version, &scope.kind, "");
        let failed = |source| Error { key: all.clone(), source: Box::new(source) };
        let list = self.api(&all, plural).list(&ListParams::default()).await.map_err(failed)?;
        let (types, mut objects) =
            (Some(TypeMeta { api_version: all.api_version.clone(), kind: all.kind.clone() }), Vec::new());
        for object in list.items {
            let object = DynamicObject { types: types.clone(), ..object };
            let value = serde_json::to_value(object).map_err(|error| failed(kube::Error::SerdeError(error)))?;
            objects.push(Arc::new(value));
        }
        Ok(objects)
    }

    /// Whether this object was ever asked for, there or not.
    pub fn was_asked_for(&self, key: &ObjectKey) -> bool {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).contains(key)
    }

    fn note(&self, key: &ObjectKey) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if !asked.contains(key) {
            asked.insert(key.clone());
        }
    }

    async fn fetch(&self, key: &ObjectKey, plural: &str) -> Result<Option<Arc<Value>>, Error> {
        let failed = |source| Error { key: key.clone(), source: Box::new(source) };
        let Some(object) = self.api(key, plural).get_opt(&key.name).await.map_err(failed)? else {
            self.forget(key);
            return Ok(None);
        };
        let version = object.metadata.resource_version.clone().unwrap_or_default();
        let value = serde_json::to_value(object).map_err(|error| failed(kube::Error::SerdeError(error)))?;
        let value = Arc::new(value);
        self.lock().insert(key.clone(), (version, Arc::clone(&value)));
        Ok(Some(value))
    }

    fn api(&self, key: &ObjectKey, plural: &str) -> Api<DynamicObject> {
        let resource = ApiResource {
            group: key.group().into(),
            version: key.version().into(),
            api_version: key.api_version.clone(),
            kind: key.kind.clone(),
            plural: plural.into(),
        };
        match &key.namespace {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, &resource),
            None => Api::all_with(self.client.clone(), &resource),
        }
    }

    fn cached(&self, key: &ObjectKey) -> Option<(String, Arc<Value>)> {
        self.lock().get(key).cloned()
    }

    fn forget(&self, key: &ObjectKey) {
        self.lock().remove(key);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<ObjectKey, (String, Arc<Value>)>> {
        // Nothing in here panics half way, so a poisoned lock still holds sound data.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
