//! The four requests, on objects as plain JSON.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chimera_core::merge::FIELD_MANAGER;
use chimera_core::object::{Object, ObjectKey};
use kube::Client;
use kube::api::{DeleteParams, PostParams, Preconditions};
use kube::core::Request;
use kube::core::params::GetParams;
use serde::Serialize;
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::failure::{self, Failure, Verb};
use super::resources::Resources;

/// A right is in force only some time after the binding that gives it: the API server hears of that by a watch.
const LAG: Duration = Duration::from_secs(2);
/// First pause before the operator makes use of it once more; it doubles.
const PAUSE: Duration = Duration::from_millis(100);

pub(super) struct Requests {
    client: Client,
    resources: Resources,
    /// In which namespace a binding was written last, and when.
    bound: Mutex<Option<(Option<String>, Instant)>>,
}

impl Requests {
    pub(super) fn new(client: Client) -> Self {
        Self { client, resources: Resources::default(), bound: Mutex::default() }
    }

    async fn path(&self, key: &ObjectKey) -> Result<Request, Failure> {
        self.resources.path(&self.client, key).await.map(Request::new)
    }

    /// Reads an object; none if it is not there.
    pub(super) async fn get(&self, key: &ObjectKey) -> Result<Option<Value>, Failure> {
        let request = self.path(key).await?.get(&key.name, &GetParams::default());
        match self.send(Verb::Get, key, request).await {
            Ok(value) => Ok(Some(value)),
            Err(failure) if failure.is_object_missing() => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// Creates an object; none if there is one already.
    pub(super) async fn create(&self, object: &Object) -> Result<Option<Value>, Failure> {
        let key = object.key();
        let request = self.path(key).await?.create(&params(false), bytes(object.fields()));
        match self.send(Verb::Create, key, request).await {
            Ok(value) => Ok(Some(value)),
            Err(failure) if failure.is_already_there() => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// Writes an object over the version that it names.
    pub(super) async fn replace(&self, key: &ObjectKey, object: &Value, dry_run: bool) -> Result<Value, Failure> {
        let request = self.path(key).await?.replace(&key.name, &params(dry_run), bytes(object));
        self.send(Verb::Update, key, request).await
    }

    /// Writes an object over the version that it names, under another name than the operator's own.
    pub(super) async fn replace_as(&self, manager: &str, key: &ObjectKey, object: &Value) -> Result<Value, Failure> {
        let params = PostParams { dry_run: false, field_manager: Some(manager.to_owned()) };
        let request = self.path(key).await?.replace(&key.name, &params, bytes(object));
        self.send(Verb::Update, key, request).await
    }

    /// Deletes this very object; what depends on it goes in the background. Fine if it has gone already.
    pub(super) async fn delete(&self, key: &ObjectKey, live: &Value) -> Result<(), Failure> {
        self.delete_by(DeleteParams::background(), key, live).await
    }

    /// As [`Requests::delete`], but it stays until what depends on it is gone.
    pub(super) async fn delete_with_dependents(&self, key: &ObjectKey, live: &Value) -> Result<(), Failure> {
        self.delete_by(DeleteParams::foreground(), key, live).await
    }

    async fn delete_by(&self, params: DeleteParams, key: &ObjectKey, live: &Value) -> Result<(), Failure> {
        let text = |name| live.pointer(name).and_then(Value::as_str).map(str::to_owned);
        let preconditions =
            Preconditions { uid: text("/metadata/uid"), resource_version: text("/metadata/resourceVersion") };
        let params = params.preconditions(preconditions);
        let request = self.path(key).await?.delete(&key.name, &params);
        match self.send(Verb::Delete, key, request).await {
            Ok(_) => Ok(()),
            Err(failure) if failure.is_object_missing() => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    async fn send(
        &self,
        verb: Verb,
        key: &ObjectKey,
        request: Result<http::Request<Vec<u8>>, kube::core::request::Error>,
    ) -> Result<Value, Failure> {
        let request = request.map_err(|_| failure::unsendable(key))?;
        let mut pause = PAUSE;
        loop {
            match self.client.request(request.clone()).await {
                Err(kube::Error::Api(status)) if status.code == 403 && self.may_come(key) => sleep(pause).await,
                answer => return self.answered(verb, key, answer),
            }
            pause = pause.saturating_mul(2);
        }
    }

    fn answered(&self, verb: Verb, key: &ObjectKey, answer: kube::Result<Value>) -> Result<Value, Failure> {
        let value = answer.map_err(|error| failure::refused(verb, key, &error))?;
        if key.kind == "RoleBinding" && verb != Verb::Get {
            *self.bound() = Some((key.namespace.clone(), Instant::now()));
        }
        Ok(value)
    }

    /// Whether what was refused may be allowed in a moment.
    fn may_come(&self, key: &ObjectKey) -> bool {
        self.bound().as_ref().is_some_and(|(namespace, at)| *namespace == key.namespace && at.elapsed() < LAG)
    }

    fn bound(&self) -> MutexGuard<'_, Option<(Option<String>, Instant)>> {
        self.bound.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn params(dry_run: bool) -> PostParams {
    PostParams { dry_run, field_manager: Some(FIELD_MANAGER.to_owned()) }
}

fn bytes(object: &impl Serialize) -> Vec<u8> {
    // Maps with text as keys always serialise.
    serde_json::to_vec(object).unwrap_or_default()
}
