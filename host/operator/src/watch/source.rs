//! The watches themselves: one stream a kind, feeding versions and ringing controllers.

use std::collections::BTreeSet;
use std::fmt::{self, Debug, Display, Formatter};
use std::pin::pin;
use std::sync::Arc;

use chimera_core::object::ObjectKey;
use futures::{Stream, StreamExt as _};
use kube::api::{ApiResource, DynamicObject, ObjectMeta};
use kube::core::PartialObjectMeta;
use kube::runtime::watcher::{self, Event};
use kube::runtime::{WatchStreamExt as _, watcher as full_watcher};
use kube::{Api, Client, Resource};
use serde::de::DeserializeOwned;
use tracing::{debug, warn};

use super::signal::Signal;
use super::versions::{Scope, Version, Versions};
use crate::metrics::Metrics;
use crate::vitals::Vitals;

/// The first list comes in pages of so many objects, so that a thousand nodes are never in memory at once.
const PAGE: u32 = 50;

/// What to watch.
#[derive(Clone, Debug)]
pub struct Target {
    /// Kind, version and plural.
    pub resource: ApiResource,
    /// Only this namespace.
    pub namespace: Option<String>,
    /// Only objects with these labels.
    pub labels: Option<&'static str>,
    /// Only the object of this name.
    pub name: Option<&'static str>,
    /// Whether the operator works without it: the API may not answer for reasons of its own.
    pub auxiliary: bool,
}

impl Target {
    /// A kind of the whole cluster.
    pub fn new(api_version: &str, kind: &str, plural: &str) -> Self {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let resource = ApiResource {
            group: group.into(),
            version: version.into(),
            api_version: api_version.into(),
            kind: kind.into(),
            plural: plural.into(),
        };
        Self { resource, namespace: None, labels: None, name: None, auxiliary: false }
    }

    /// Only one namespace.
    #[must_use]
    pub fn within(mut self, namespace: &str) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Only objects with these labels.
    #[must_use]
    pub fn labelled(mut self, labels: &'static str) -> Self {
        self.labels = Some(labels);
        self
    }

    /// Only the object of this name.
    #[must_use]
    pub fn named(mut self, name: &'static str) -> Self {
        self.name = Some(name);
        self
    }

    /// The operator works without it, so that it does not count for the probes.
    #[must_use]
    pub fn auxiliary(mut self) -> Self {
        self.auxiliary = true;
        self
    }

    /// What it covers.
    pub fn scope(&self) -> Scope {
        Scope {
            api_version: self.resource.api_version.clone(),
            kind: self.resource.kind.clone(),
            namespace: self.namespace.clone(),
            name: self.name.map(Into::into),
            labels: self.labels.map(Into::into),
        }
    }

    fn config(&self) -> watcher::Config {
        watcher::Config {
            label_selector: self.labels.map(Into::into),
            field_selector: self.name.map(|name| format!("metadata.name={name}")),
            page_size: Some(PAGE),
            ..watcher::Config::default()
        }
    }

    fn metadata(&self, client: Client) -> Api<PartialObjectMeta<DynamicObject>> {
        match &self.namespace {
            Some(namespace) => Api::namespaced_with(client, namespace, &self.resource),
            None => Api::all_with(client, &self.resource),
        }
    }

    fn key(&self, metadata: &ObjectMeta) -> ObjectKey {
        ObjectKey {
            api_version: self.resource.api_version.clone(),
            kind: self.resource.kind.clone(),
            namespace: metadata.namespace.clone(),
            name: metadata.name.clone().unwrap_or_default(),
        }
    }
}

/// As people name it: `secrets in tigera-operator with a=b`.
impl Display for Target {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { resource, namespace, labels, name, auxiliary: _ } = self;
        let dot = if resource.group.is_empty() { "" } else { "." };
        write!(f, "{}{dot}{}", resource.plural, resource.group)?;
        name.iter().try_for_each(|name| write!(f, " {name}"))?;
        namespace.iter().try_for_each(|namespace| write!(f, " in {namespace}"))?;
        labels.iter().try_for_each(|labels| write!(f, " with {labels}"))
    }
}

/// Somebody who keeps more of a watched object than its version.
pub trait Observer<K>: Send + Sync {
    /// It is there, new or changed. Says whether what is kept of it changed.
    fn present(&self, key: &ObjectKey, object: &K) -> bool;
    /// It is gone.
    fn gone(&self, key: &ObjectKey);
    /// These are all there are.
    fn only(&self, keys: &BTreeSet<ObjectKey>);
    /// Whether anybody minds that it goes.
    fn heeds(&self, _key: &ObjectKey) -> bool {
        true
    }
}

/// Keeps nothing; every new version counts as a change.
#[derive(Clone, Copy, Debug)]
pub struct VersionsOnly;

impl<K> Observer<K> for VersionsOnly {
    fn present(&self, _: &ObjectKey, _: &K) -> bool {
        true
    }
    fn gone(&self, _: &ObjectKey) {}
    fn only(&self, _: &BTreeSet<ObjectKey>) {}
}

/// Where a watch's news go.
pub struct Sink<K> {
    /// Identities and versions.
    pub versions: Arc<Versions>,
    /// What else is kept.
    pub observer: Arc<dyn Observer<K>>,
    /// Whom to wake.
    pub signals: Vec<Signal>,
    /// Who is told whether the watch works.
    pub metrics: Arc<Metrics>,
}

/// Watches metadata only, for as long as the process lives.
pub async fn watch_metadata(client: Client, target: Target, sink: Sink<PartialObjectMeta<DynamicObject>>) {
    let stream = full_watcher(target.metadata(client), target.config());
    follow(stream, &target, &sink, |object| &object.metadata).await;
}

/// Watches whole objects, for as long as the process lives.
pub async fn watch_objects<K>(api: Api<K>, target: Target, sink: Sink<K>)
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug + Send + 'static,
{
    follow(full_watcher(api, target.config()), &target, &sink, Resource::meta).await;
}

async fn follow<K: 'static>(
    stream: impl Stream<Item = watcher::Result<Event<K>>> + Send,
    target: &Target,
    sink: &Sink<K>,
    metadata: impl Fn(&K) -> &ObjectMeta + Send,
) {
    let mut stream = pin!(stream.default_backoff());
    let mut listing = BTreeSet::new();
    sink.note(target, Vitals::lists);
    while let Some(event) = stream.next().await {
        match event {
            Ok(event) => sink.take(event, target, &mut listing, &metadata),
            // The watcher goes on by itself after a back-off.
            Err(error) => {
                sink.note(target, Vitals::failed);
                let (kind, error) = (&target.resource.kind, crate::client::watch_reason(&error));
                match target.auxiliary {
                    true => debug!(kind, error, "a watch failed and is tried again"),
                    false => warn!(kind, error, "a watch failed and is tried again"),
                }
            }
        }
    }
}

impl<K> Sink<K> {
    fn take(
        &self,
        event: Event<K>,
        target: &Target,
        listing: &mut BTreeSet<ObjectKey>,
        metadata: impl Fn(&K) -> &ObjectMeta,
    ) {
        match event {
            Event::Init => {
                self.note(target, Vitals::lists);
                listing.clear();
            }
            Event::InitApply(object) => {
                listing.insert(target.key(metadata(&object)));
                self.present(target, &object, metadata(&object));
            }
            Event::InitDone => {
                self.observer.only(listing);
                self.versions.listed(&target.scope(), listing);
                self.note(target, Vitals::follows);
                self.ring();
            }
            Event::Apply(object) => self.present(target, &object, metadata(&object)),
            Event::Delete(object) => self.gone(target, &target.key(metadata(&object))),
        }
    }

    fn present(&self, target: &Target, object: &K, metadata: &ObjectMeta) {
        let key = target.key(metadata);
        let changed = self.observer.present(&key, object);
        let version = Version {
            uid: metadata.uid.clone().unwrap_or_default(),
            resource_version: metadata.resource_version.clone().unwrap_or_default(),
        };
        if self.versions.seen(&target.scope(), key, version) && changed {
            self.ring();
        }
    }

    fn gone(&self, target: &Target, key: &ObjectKey) {
        self.observer.gone(key);
        self.versions.gone(&target.scope(), key);
        if self.observer.heeds(key) {
            self.ring();
        }
    }

    fn note(&self, target: &Target, sign: impl FnOnce(&Vitals, &str)) {
        if !target.auxiliary {
            sign(self.metrics.vitals(), &target.to_string());
        }
    }

    fn ring(&self) {
        self.signals.iter().for_each(Signal::ring);
    }
}
