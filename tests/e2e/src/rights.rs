//! Gives the operator under test the rights that the shipped manifests give it, and no others.

use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow};
use chimera_kit::{ControlPlane, MASTERS};
use k8s_openapi::api::core::v1::Namespace;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config};
use serde_json::Value;

use crate::manifests;

/// Namespace that the manifests name.
const NAMESPACE: &str = "tigera-operator";
/// Everything else of the manifests is no right.
const KINDS: [&str; 6] = ["Namespace", "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"];

/// Gives the rights as an administrator does, once a cluster; writes a kubeconfig that acts as the ServiceAccount. In a
/// namespace that is missing there is none: who runs the operator then is an administrator.
///
/// # Errors
/// If the API server does not take them.
pub fn grant(cluster: &ControlPlane, namespace: Option<&str>, components: &[&str]) -> Result<PathBuf> {
    let namespace = namespace.unwrap_or(NAMESPACE);
    let done = cluster.dir().join(format!("rights-{namespace}-{}", components.join("-")));
    if !done.exists() {
        if !apply(cluster.kubeconfig_path(), namespace.to_owned(), rights(namespace, components)?)? {
            return cluster.kubeconfig_for("administrator", &[MASTERS]);
        }
        std::fs::write(done, "").context("failed to note that the rights are given")?;
    }
    let user = format!("system:serviceaccount:{namespace}:tigera-operator");
    // Another operator may be reading it at this moment.
    let file = cluster.dir().join("kubeconfigs").join(&user);
    if file.is_file() {
        return Ok(file);
    }
    cluster.kubeconfig_for(&user, &["system:serviceaccounts", &format!("system:serviceaccounts:{namespace}")])
}

/// What of the manifests gives rights, with the operator in a namespace of choice.
///
/// # Errors
/// If a file is missing or malformed.
pub fn rights(namespace: &str, components: &[&str]) -> Result<Vec<Value>> {
    let mut objects = manifests::build(components)?;
    objects.retain(|object| KINDS.contains(&object["kind"].as_str().unwrap_or_default()));
    for object in &mut objects {
        let subjects = object.get_mut("subjects").and_then(Value::as_array_mut).into_iter().flatten();
        subjects.for_each(|subject| subject["namespace"] = namespace.into());
        if object["metadata"]["namespace"] == NAMESPACE {
            object["metadata"]["namespace"] = namespace.into();
        }
    }
    Ok(objects)
}

/// Applies them, unless the namespace is missing. On a thread of its own, so that a test may call this wherever it is.
fn apply(kubeconfig: PathBuf, namespace: String, objects: Vec<Value>) -> Result<bool> {
    let work = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let kubeconfig = Kubeconfig::read_from(kubeconfig)?;
            let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
            let client = Client::try_from(config)?;
            let namespaces: Api<Namespace> = Api::all(client.clone());
            if namespace != NAMESPACE && namespaces.get_opt(&namespace).await?.is_none() {
                return Ok(false);
            }
            let list = serde_json::json!({"apiVersion": "v1", "kind": "List", "items": objects});
            chimera_kit::apply(&client, &list.to_string()).await.map(|_| true)
        })
    };
    std::thread::spawn(work).join().map_err(|_| anyhow!("the thread that gives rights broke"))?
}
