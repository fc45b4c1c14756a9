//! Reads from a cluster what the check needs; only gets and lists.

use std::path::Path;

use anyhow::{Context as _, Result, anyhow};
use chimera_core::installation::config::ApiGroup;
use chimera_core::migrate::{Manifest, names};
use chimera_core::names::{APP_LABEL, CALICO_SYSTEM, TIGERA_OPERATOR};
use chimera_core::object::{Object, ObjectKey};
use kube::api::{ApiResource, DynamicObject, ListParams};
use kube::{Api, Client};

use crate::client;

const PAGE: u32 = 500;

/// All objects, or why they cannot be read.
pub(super) fn read(kubeconfig: Option<&Path>) -> Result<Vec<Object>, Vec<String>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("failed to start the runtime");
    let read = runtime.and_then(|runtime| runtime.block_on(all(kubeconfig)));
    read.map_err(|error| vec![format!("{error:#}")])
}

async fn all(kubeconfig: Option<&Path>) -> Result<Vec<Object>> {
    let client = client::connect(kubeconfig).await?;
    let mut objects = Vec::new();
    for (key, plural) in Manifest::keys().into_iter().chain(others()) {
        objects.extend(get(&client, &key, plural).await?);
    }
    let group = api_group(&client).await?;
    for (kind, plural) in [("FelixConfiguration", "felixconfigurations"), ("IPPool", "ippools")] {
        let kind = ObjectKey::cluster(group.api_version(), kind, "");
        objects.extend(list(&client, &kind, plural, None).await?);
    }
    objects.extend(list(&client, &ObjectKey::cluster("v1", "Node", ""), "nodes", None).await?);
    for namespace in [names::KUBE_SYSTEM, CALICO_SYSTEM] {
        let pods = ObjectKey::namespaced("v1", "Pod", namespace, "");
        objects.extend(list(&client, &pods, "pods", Some(&format!("{APP_LABEL}={}", names::NODE))).await?);
    }
    pull_secrets(&client, &mut objects).await?;
    Ok(objects)
}

fn others() -> [(ObjectKey, &'static str); 4] {
    let config_map = |namespace, name| ObjectKey::namespaced("v1", "ConfigMap", namespace, name);
    [
        (ObjectKey::cluster("operator.tigera.io/v1", "Installation", "default"), "installations"),
        (config_map(names::KUBE_SYSTEM, "kubeadm-config"), "configmaps"),
        (config_map(TIGERA_OPERATOR, names::SERVICES_ENDPOINT), "configmaps"),
        (ObjectKey::namespaced("apps/v1", "DaemonSet", names::KUBE_SYSTEM, "aws-node"), "daemonsets"),
    ]
}

/// Those that the Installation or the old DaemonSet names. What is in them is not looked at.
async fn pull_secrets(client: &Client, objects: &mut Vec<Object>) -> Result<()> {
    let of = |pointer: &'static str| move |object: &Object| object.pointer(pointer).cloned();
    let lists = objects.iter().filter_map(of("/spec/imagePullSecrets"));
    let lists = lists.chain(objects.iter().filter_map(of("/spec/template/spec/imagePullSecrets")));
    let names: Vec<_> = lists
        .filter_map(|list| list.as_array().cloned())
        .flatten()
        .filter_map(|secret| secret.get("name")?.as_str().map(str::to_owned))
        .collect();
    for name in names {
        let key = ObjectKey::namespaced("v1", "Secret", TIGERA_OPERATOR, &name);
        objects.extend(get(client, &key, "secrets").await?);
    }
    Ok(())
}

async fn api_group(client: &Client) -> Result<ApiGroup> {
    let groups = client.list_api_groups().await.context("failed to list the API groups")?;
    let v3 = groups.groups.iter().any(|group| group.name == ApiGroup::V3.group());
    let v1 = groups.groups.iter().any(|group| group.name == ApiGroup::V1.group());
    Ok(if v3 && !v1 { ApiGroup::V3 } else { ApiGroup::V1 })
}

async fn get(client: &Client, key: &ObjectKey, plural: &str) -> Result<Option<Object>> {
    match api(client, key, plural).get_opt(&key.name).await {
        Ok(Some(object)) => converted(key, object).map(Some),
        Ok(None) => Ok(None),
        Err(error) => Err(anyhow!("failed to get {key}: {}", client::reason(&error, "get"))),
    }
}

async fn list(client: &Client, kind: &ObjectKey, plural: &str, labels: Option<&str>) -> Result<Vec<Object>> {
    let api = api(client, kind, plural);
    let mut params = ListParams::default().limit(PAGE);
    params.label_selector = labels.map(Into::into);
    let mut objects = Vec::new();
    loop {
        let page = match api.list(&params).await {
            Ok(page) => page,
            // A kind that is not served has no objects.
            Err(kube::Error::Api(status)) if status.code == 404 => return Ok(objects),
            Err(error) => return Err(anyhow!("failed to list {plural}: {}", client::reason(&error, "list"))),
        };
        for object in page.items {
            objects.push(converted(kind, object)?);
        }
        match page.metadata.continue_.filter(|next| !next.is_empty()) {
            Some(next) => params = params.continue_token(&next),
            None => return Ok(objects),
        }
    }
}

/// Items of a list do not say what they are.
fn converted(kind: &ObjectKey, object: DynamicObject) -> Result<Object> {
    let mut value = serde_json::to_value(object).context("failed to read an object")?;
    if let Some(fields) = value.as_object_mut() {
        fields.insert("apiVersion".into(), kind.api_version.clone().into());
        fields.insert("kind".into(), kind.kind.clone().into());
    }
    Object::from_value(value).context("failed to read an object")
}

fn api(client: &Client, key: &ObjectKey, plural: &str) -> Api<DynamicObject> {
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
