//! Makes the changes, each by one request that says nothing but the change.

use chimera_core::codes;
use chimera_core::message::Message;
use chimera_core::migrate::Action;
use chimera_core::migrate::names::{LABEL, PRE_OPERATOR, node};
use chimera_core::object::{Object, ObjectKey};
use chimera_crds::parse;
use k8s_openapi::api::core::v1::Node;
use kube::api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::{Value, json};
use tracing::info;

use crate::client::{self, FIELD_MANAGER};
use crate::context::Context;

/// Writes what the user chose in the manifest, so that it stays the user's.
const USERS_MANAGER: &str = "calico-manifest-install";

/// Makes them in order; the first that fails ends it, and the next look starts from what is there then.
pub(super) async fn run(context: &Context, actions: &[Action]) -> Result<(), Message> {
    for action in actions {
        one(&context.client, action).await?;
        info!(?action, "moving from the manifest install");
    }
    Ok(())
}

async fn one(client: &Client, action: &Action) -> Result<(), Message> {
    match action {
        Action::Mark(name, mark) => label(client, name, json!(mark.value())).await,
        Action::Unmark(name) => label(client, name, Value::Null).await,
        Action::Confine => confine(client).await,
        Action::Unconfine => unconfine(client).await,
        Action::Scale(key, replicas) => {
            patch(client, key, "deployments", json!({"spec": {"replicas": replicas}})).await
        }
        Action::Create(object) => create(client, object).await,
        Action::Settle(object) => settle(client, object).await,
        Action::Delete(key, plural) => delete(client, key, plural).await,
    }
}

fn params() -> PatchParams {
    PatchParams { field_manager: Some(FIELD_MANAGER.into()), ..PatchParams::default() }
}

async fn label(client: &Client, name: &str, value: Value) -> Result<(), Message> {
    let key = ObjectKey::cluster("v1", "Node", name);
    let patch = Patch::Merge(json!({"metadata": {"labels": {LABEL: value}}}));
    let patched = Api::<Node>::all(client.clone()).patch_metadata(name, &params(), &patch).await;
    gone_is_fine(patched.map(drop), &key, "patch")
}

/// Its pods stay: with this strategy a changed template replaces none, and those on labelled nodes still fit.
async fn confine(client: &Client) -> Result<(), Message> {
    let change = json!({"spec": {
        "updateStrategy": {"type": "OnDelete", "rollingUpdate": null},
        "template": {"spec": {"nodeSelector": {LABEL: PRE_OPERATOR}}},
    }});
    patch(client, &node(), "daemonsets", change).await
}

/// As manifests have it; its pods are replaced one at a time.
async fn unconfine(client: &Client) -> Result<(), Message> {
    let change = json!({"spec": {
        "updateStrategy": {"type": "RollingUpdate"},
        "template": {"spec": {"nodeSelector": {LABEL: null}}},
    }});
    patch(client, &node(), "daemonsets", change).await
}

async fn patch(client: &Client, key: &ObjectKey, plural: &str, change: Value) -> Result<(), Message> {
    let patched = api(client, key, plural).patch(&key.name, &params(), &Patch::Merge(change)).await;
    gone_is_fine(patched.map(drop), key, "patch")
}

async fn create(client: &Client, object: &Object) -> Result<(), Message> {
    let key = object.key();
    let plural = format!("{}s", key.kind.to_lowercase());
    let body: DynamicObject = body(object)?;
    let params = PostParams { field_manager: Some(FIELD_MANAGER.into()), ..PostParams::default() };
    match api(client, key, &plural).create(&params, &body).await {
        Err(kube::Error::Api(status)) if status.is_already_exists() => Ok(()),
        created => gone_is_fine(created.map(drop), key, "create"),
    }
}

/// Only fields that nobody set, so nobody is overruled.
async fn settle(client: &Client, object: &Object) -> Result<(), Message> {
    let key = object.key();
    let plural = format!("{}s", key.kind.to_lowercase());
    let params = PatchParams::apply(USERS_MANAGER);
    let patched = api(client, key, &plural).patch(&key.name, &params, &Patch::Apply(body(object)?)).await;
    patched.map(drop).map_err(|error| failed(key, "patch", &error))
}

fn body(object: &Object) -> Result<DynamicObject, Message> {
    let failed = |error: serde_json::Error| {
        Message::new(&codes::RENDER_FAILED, parse::in_words(&error.to_string())).on(object.key())
    };
    serde_json::from_value(object.clone().into_value()).map_err(failed)
}

async fn delete(client: &Client, key: &ObjectKey, plural: &str) -> Result<(), Message> {
    let deleted = api(client, key, plural).delete(&key.name, &DeleteParams::background()).await;
    gone_is_fine(deleted.map(drop), key, "delete")
}

/// For objects of any kind.
pub(super) fn api(client: &Client, key: &ObjectKey, plural: &str) -> Api<DynamicObject> {
    let resource = ApiResource {
        group: key.group().into(),
        version: key.version().into(),
        api_version: key.api_version.clone(),
        kind: key.kind.clone(),
        plural: plural.into(),
    };
    match &key.namespace {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
        None => Api::all_with(client.clone(), &resource),
    }
}

/// What is not there any more needs no change.
fn gone_is_fine(result: Result<(), kube::Error>, key: &ObjectKey, verb: &str) -> Result<(), Message> {
    match result {
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
        result => result.map_err(|error| failed(key, verb, &error)),
    }
}

fn failed(key: &ObjectKey, verb: &str, error: &kube::Error) -> Message {
    Message::new(&codes::APPLY_FAILED, client::reason(error, verb)).on(key)
}
