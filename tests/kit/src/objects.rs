//! Objects of any kind: applying YAML, reading everything.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use futures::{StreamExt, TryStreamExt, stream};
use kube::Client;
use kube::api::{Api, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams};
use kube::core::discovery::{ApiCapabilities, ApiResource, Scope, verbs};
use kube::discovery::{Discovery, pinned_kind};
use serde_json::Value;

use crate::wait::wait_for;

/// Field manager of what tests apply.
const MANAGER: &str = "chimera-kit";

/// Until a kind is served whose CustomResourceDefinition has just been applied.
const SERVED: Duration = Duration::from_secs(30);

/// Lists that are asked for at once.
const PARALLEL: usize = 16;

type Kinds = BTreeMap<(String, String), (ApiResource, ApiCapabilities)>;

/// As [`ControlPlane::apply_yaml`](crate::ControlPlane::apply_yaml), by another client.
///
/// # Errors
///
/// When a document is no object, its kind stays unknown or the server refuses it; the message names it.
pub async fn apply(client: &Client, yaml: &str) -> Result<Vec<Value>> {
    let mut kinds = Kinds::new();
    let mut applied = Vec::new();
    for object in parse(yaml)? {
        let name = describe(&object);
        let made = apply_one(client, object, &mut kinds).await.with_context(|| format!("failed to apply {name}"))?;
        applied.push(made);
    }
    Ok(applied)
}

async fn apply_one(client: &Client, object: Value, kinds: &mut Kinds) -> Result<Value> {
    let object: DynamicObject = serde_json::from_value(object).context("it is no Kubernetes object")?;
    let types = object.types.clone().context("apiVersion or kind is missing")?;
    let name = object.metadata.name.clone().context("metadata.name is missing")?;
    let key = (types.api_version.clone(), types.kind.clone());
    if !kinds.contains_key(&key) {
        let gvk = GroupVersionKind::try_from(&types).context("its apiVersion is malformed")?;
        kinds.insert(key.clone(), served(client, &gvk).await?);
    }
    let (resource, capabilities) = &kinds[&key];
    let api: Api<DynamicObject> = match (&capabilities.scope, &object.metadata.namespace) {
        (Scope::Cluster, _) => Api::all_with(client.clone(), resource),
        (Scope::Namespaced, Some(namespace)) => Api::namespaced_with(client.clone(), namespace, resource),
        (Scope::Namespaced, None) => Api::namespaced_with(client.clone(), "default", resource),
    };
    let made = api.patch(&name, &PatchParams::apply(MANAGER).force(), &Patch::Apply(&object)).await?;
    serde_json::to_value(made).context("failed to read the answer")
}

async fn served(client: &Client, gvk: &GroupVersionKind) -> Result<(ApiResource, ApiCapabilities)> {
    let what = format!("{}/{} {} to be served", gvk.group, gvk.version, gvk.kind);
    wait_for(&what, SERVED, || async { Ok(Some(pinned_kind(client, gvk).await?)) }).await
}

fn parse(yaml: &str) -> Result<Vec<Value>> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(yaml).context("failed to read the YAML")?;
    let mut objects = Vec::new();
    for mut document in documents {
        match document.get_mut("items").map(Value::take) {
            Some(Value::Array(items)) => objects.extend(items),
            Some(_) => bail!("the items of a List are no list"),
            None if document.is_null() => {}
            None => objects.push(document),
        }
    }
    Ok(objects)
}

fn describe(object: &Value) -> String {
    let [_, kind, namespace, name] = key(object);
    if namespace.is_empty() { format!("{kind} {name}") } else { format!("{kind} {namespace}/{name}") }
}

pub(crate) async fn dump(client: &Client) -> Result<Vec<Value>> {
    let discovery = Discovery::new(client.clone()).run_aggregated().await.context("failed to ask for the kinds")?;
    let kinds = discovery
        .groups()
        // The same objects as the Events of the core group.
        .filter(|group| group.name() != "events.k8s.io")
        .flat_map(|group| group.recommended_resources())
        .filter(|(_, capabilities)| capabilities.supports_operation(verbs::LIST))
        .map(|(resource, _)| list(client, resource));
    let lists: Vec<Vec<Value>> = stream::iter(kinds).buffer_unordered(PARALLEL).try_collect().await?;
    let mut objects = lists.concat();
    objects.sort_by_cached_key(|object| key(object).map(str::to_owned));
    Ok(objects)
}

async fn list(client: &Client, resource: ApiResource) -> Result<Vec<Value>> {
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
    let params = ListParams::default();
    let list = || async {
        match api.list(&params).await {
            // A kind whose CustomResourceDefinition is new.
            Err(kube::Error::Api(status)) if status.code == 429 => Ok(None),
            list => Ok(Some(list)),
        }
    };
    let list = match wait_for(&format!("{} to be served", resource.plural), SERVED, list).await? {
        // An aggregated API without a backend has nothing to show.
        Err(kube::Error::Api(status)) if status.code == 503 => return Ok(Vec::new()),
        list => list.with_context(|| format!("failed to list {}", resource.plural))?,
    };
    let value = |object: DynamicObject| {
        let mut value = serde_json::to_value(object).context("failed to write an object as JSON")?;
        // Items of a list do not say what they are.
        value["apiVersion"] = resource.api_version.clone().into();
        value["kind"] = resource.kind.clone().into();
        Ok(value)
    };
    list.items.into_iter().map(value).collect()
}

/// API version, kind, namespace, name.
fn key(object: &Value) -> [&str; 4] {
    ["/apiVersion", "/kind", "/metadata/namespace", "/metadata/name"]
        .map(|path| object.pointer(path).and_then(Value::as_str).unwrap_or_default())
}
