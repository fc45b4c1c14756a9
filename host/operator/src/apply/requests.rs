//! The four requests, on objects as plain JSON.

use chimera_core::merge::FIELD_MANAGER;
use chimera_core::object::{Object, ObjectKey};
use kube::Client;
use kube::api::{DeleteParams, PostParams, Preconditions};
use kube::core::Request;
use kube::core::params::GetParams;
use serde::Serialize;
use serde_json::Value;

use super::failure::{self, Failure, Verb};
use super::resources::Resources;

pub(super) struct Requests {
    client: Client,
    resources: Resources,
}

impl Requests {
    pub(super) fn new(client: Client) -> Self {
        Self { client, resources: Resources::default() }
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
        self.client.request(request).await.map_err(|error| failure::refused(verb, key, &error))
    }
}

fn params(dry_run: bool) -> PostParams {
    PostParams { dry_run, field_manager: Some(FIELD_MANAGER.to_owned()) }
}

fn bytes(object: &impl Serialize) -> Vec<u8> {
    // Maps with text as keys always serialise.
    serde_json::to_vec(object).unwrap_or_default()
}
