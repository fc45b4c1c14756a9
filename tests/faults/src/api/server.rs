//! The server itself: takes a call, answers it, and remembers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::Instant;

use super::call::{Call, Verb};
use super::discovery;
use super::status::Refusal;
use super::store::{Key, Store};
use super::{kinds, read, write};

/// When every world begins; certificates are issued at it.
pub const START: &str = "2026-01-01T00:00:00Z";

/// What an answer is.
pub type Answer = Result<Value, Refusal>;

/// One API server with its storage.
#[derive(Debug)]
pub struct Server {
    store: Mutex<Store>,
    changed: watch::Sender<u64>,
    started: Instant,
    compacted: Mutex<u64>,
}

impl Server {
    /// An empty one that serves the CustomResourceDefinitions. Needs a runtime, since its clock is tokio's.
    pub fn new() -> Arc<Self> {
        let server = Arc::new(Self {
            store: Mutex::default(),
            changed: watch::Sender::new(0),
            started: Instant::now(),
            compacted: Mutex::new(0),
        });
        for namespace in ["default", "kube-system"] {
            server.seed(serde_json::json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}));
        }
        kinds::definitions().into_iter().for_each(|definition| server.seed(definition));
        server
    }

    /// One that goes on with a storage.
    pub fn resume(store: Store) -> Arc<Self> {
        let version = store.version();
        Arc::new(Self {
            store: Mutex::new(store),
            changed: watch::Sender::new(version),
            started: Instant::now(),
            compacted: Mutex::new(0),
        })
    }

    /// The storage.
    pub fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells of each new version.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Wakes whoever waits for a change.
    pub fn touch(&self) {
        let version = self.store().version();
        self.changed.send_replace(version);
    }

    /// Time of day here.
    pub fn now(&self) -> Timestamp {
        let start: Timestamp = START.parse().expect("the start is a time");
        start + SignedDuration::try_from(self.started.elapsed()).expect("a world does not last for ever")
    }

    /// Since the world began.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Forgets the history: a watch from an older version is told 410.
    pub fn compact(&self) {
        *self.compacted.lock().unwrap_or_else(PoisonError::into_inner) = self.store().version();
    }

    /// The version up to which history is forgotten.
    pub fn compacted(&self) -> u64 {
        *self.compacted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers everything but a watch. `lag`: reads are answered as things were so many changes ago.
    pub fn answer(&self, call: &Call, lag: u64) -> Answer {
        if call.kind.is_none() {
            return discovery::answer(&call.path);
        }
        let now = self.now();
        let mut store = self.store();
        let answer = match call.verb {
            Verb::Get => read::get(&store, call, lag),
            Verb::List | Verb::Watch => Ok(read::list(&store, call, lag)),
            Verb::Create => write::create(&mut store, call, now),
            Verb::Update => write::update(&mut store, call, now),
            Verb::Patch => write::patch(&mut store, call, now),
            Verb::Delete => write::delete(&mut store, call, now),
        };
        drop(store);
        if call.commits() {
            self.touch();
        }
        answer
    }

    /// Stores an object as an administrator would, whatever is there.
    ///
    /// # Panics
    /// If the server refuses it.
    pub fn seed(&self, object: Value) {
        let mut call = Call::about(Verb::Create, &object, "kubectl");
        if self.store().get(&call.key()).is_some() {
            call.verb = Verb::Update;
        }
        call.body = object;
        if let Err(refusal) = self.answer(&call, 0) {
            panic!("{call}: {}", refusal.body);
        }
    }

    /// Patches an object as an administrator would.
    ///
    /// # Panics
    /// If the server refuses it.
    pub fn edit(&self, key: &Key, patch: Value) {
        let mut call = Call::on(Verb::Patch, key, "kubectl-edit");
        call.body = patch;
        if let Err(refusal) = self.answer(&call, 0) {
            panic!("{call}: {}", refusal.body);
        }
    }

    /// Deletes an object as an administrator would; fine if it is not there.
    pub fn delete(&self, key: &Key) {
        let _ = self.answer(&Call::on(Verb::Delete, key, "kubectl"), 0);
    }

    /// Takes an object away whatever holds it, as the controller of namespaces does with one that is empty.
    pub fn remove(&self, key: &Key) {
        self.store().remove(key, crate::cluster::MANAGER);
        self.touch();
    }

    /// One object as it is.
    pub fn get(&self, key: &Key) -> Option<Value> {
        self.store().get(key).map(|object| (**object).clone())
    }
}
