//! A control plane with the CustomResourceDefinitions, and questions to it.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use chimera_kit::{Builder, ControlPlane};
use kube::api::{ApiResource, DynamicObject};
use kube::{Api, Client};
use serde_json::Value;

use crate::messages;
use crate::operator::root;

/// Long enough for a busy machine; a test that needs it has failed already.
pub const DEADLINE: Duration = Duration::from_secs(120);

/// A control plane whose CustomResourceDefinitions an administrator has applied.
pub async fn with_crds(nodes: usize) -> Result<ControlPlane> {
    serving(nodes, None).await
}

/// As [`with_crds`], with Calico's resources in another group (`v3`) or with those of a platform besides (`openshift`).
pub async fn serving(nodes: usize, crds: Option<&str>) -> Result<ControlPlane> {
    let cluster = ControlPlane::builder().nodes(nodes).start().await?;
    apply_crds(&cluster, if crds == Some("v3") { "v3" } else { "v1" }).await?;
    if crds == Some("openshift") {
        cluster.apply_yaml(include_str!("openshift.yaml")).await?;
    }
    cluster.apply_yaml("{apiVersion: v1, kind: Namespace, metadata: {name: tigera-operator}}").await?;
    Ok(cluster)
}

/// As [`with_crds`], on a control plane of the test's own making.
pub async fn with_crds_on(builder: Builder) -> Result<ControlPlane> {
    let cluster = builder.start().await?;
    for folder in ["crds/yaml", "crds/yaml/projectcalico/v1"] {
        apply_folder(&cluster, &root().join(folder)).await?;
    }
    cluster.apply_yaml("{apiVersion: v1, kind: Namespace, metadata: {name: tigera-operator}}").await?;
    Ok(cluster)
}

/// Applies the CustomResourceDefinitions as an administrator does, Calico's own in one of their two versions.
pub async fn apply_crds(cluster: &ControlPlane, calico: &str) -> Result<()> {
    for folder in ["crds/yaml", &format!("crds/yaml/projectcalico/{calico}")] {
        apply_folder(cluster, &root().join(folder)).await?;
    }
    Ok(())
}

async fn apply_folder(cluster: &ControlPlane, folder: &Path) -> Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("failed to list {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            cluster.apply_yaml(&std::fs::read_to_string(&path)?).await?;
        }
    }
    Ok(())
}

/// One object, or none.
pub async fn get(
    client: &Client,
    api_version: &str,
    kind: &str,
    namespace: Option<&str>,
    name: &str,
) -> Result<Option<Value>> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let resource = ApiResource::from_gvk(&kube::api::GroupVersionKind::gvk(group, version, kind));
    let api: Api<DynamicObject> = match namespace {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
        None => Api::all_with(client.clone(), &resource),
    };
    let object = api.get_opt(name).await.with_context(|| format!("failed to get {kind} {name}"))?;
    object.map(|object| serde_json::to_value(object).context("failed to serialise an object")).transpose()
}

/// Labels every node there is.
pub async fn label_nodes(client: &Client, labels: &[(String, String)]) -> Result<()> {
    let nodes: Api<k8s_openapi::api::core::v1::Node> = Api::all(client.clone());
    let labels: serde_json::Map<_, _> = labels.iter().map(|(key, value)| (key.clone(), value.clone().into())).collect();
    let patch = kube::api::Patch::Merge(serde_json::json!({"metadata": {"labels": labels}}));
    for node in nodes.list(&kube::api::ListParams::default()).await.context("failed to list the nodes")? {
        let name = node.metadata.name.unwrap_or_default();
        let patched = nodes.patch(&name, &kube::api::PatchParams::default(), &patch).await;
        patched.with_context(|| format!("failed to label {name}"))?;
    }
    Ok(())
}

/// Applies YAML; nodes among it get room for pods, as kubelets say of themselves.
pub async fn prepare(cluster: &ControlPlane, yaml: &str) -> Result<Vec<Value>> {
    let applied = cluster.apply_yaml(yaml).await?;
    let nodes: Api<k8s_openapi::api::core::v1::Node> = Api::all(cluster.client());
    let room = serde_json::json!({"cpu": "16", "memory": "64Gi", "pods": "110", "ephemeral-storage": "100Gi"});
    let status = serde_json::json!({"status": {"allocatable": room, "capacity": room}});
    for node in applied.iter().filter(|object| object["kind"] == "Node") {
        let name = node.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        let patch = kube::api::Patch::Merge(&status);
        nodes.patch_status(name, &kube::api::PatchParams::default(), &patch).await.context("failed to give room")?;
    }
    Ok(applied)
}

/// Deletes an object as it was read.
pub async fn delete(client: &Client, object: &Value) -> Result<()> {
    let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let (group, version) = text("/apiVersion").split_once('/').unwrap_or(("", text("/apiVersion")));
    let resource = ApiResource::from_gvk(&kube::api::GroupVersionKind::gvk(group, version, text("/kind")));
    let api: Api<DynamicObject> = match text("/metadata/namespace") {
        "" => Api::all_with(client.clone(), &resource),
        namespace => Api::namespaced_with(client.clone(), namespace, &resource),
    };
    let name = text("/metadata/name");
    api.delete(name, &kube::api::DeleteParams::default()).await.with_context(|| format!("failed to delete {name}"))?;
    Ok(())
}

/// Status, reason and message of one condition of a TigeraStatus; panics if the message is none for an administrator.
pub async fn condition(client: &Client, name: &str, kind: &str) -> Result<Option<(String, String, String)>> {
    let Some(status) = get(client, "operator.tigera.io/v1", "TigeraStatus", None, name).await? else { return Ok(None) };
    let conditions = status.pointer("/status/conditions").and_then(Value::as_array).into_iter().flatten();
    let text = |condition: &Value, field: &str| condition[field].as_str().unwrap_or_default().to_owned();
    let found = conditions
        .filter(|condition| condition["type"] == kind)
        .map(|condition| (text(condition, "status"), text(condition, "reason"), text(condition, "message")))
        .next();
    if let Some((.., message)) = &found
        && let Err(error) = messages::check(message)
    {
        // An error would only be waited out.
        panic!("TigeraStatus {name}, {kind}: {error:#}");
    }
    Ok(found)
}

/// Waits until a condition of a TigeraStatus is `True`; gives back reason and message.
pub async fn wait_condition(cluster: &ControlPlane, name: &str, kind: &str) -> Result<(String, String)> {
    let client = cluster.client();
    cluster
        .wait_for(&format!("TigeraStatus {name} to be {kind}"), DEADLINE, || {
            let client = client.clone();
            async move {
                let found = condition(&client, name, kind).await?;
                Ok(found.filter(|(status, ..)| status == "True").map(|(_, reason, message)| (reason, message)))
            }
        })
        .await
}

/// Waits until the default Installation runs.
pub async fn wait_available(cluster: &ControlPlane) -> Result<()> {
    for name in ["ippools", "calico"] {
        wait_condition(cluster, name, "Available").await?;
    }
    Ok(())
}
