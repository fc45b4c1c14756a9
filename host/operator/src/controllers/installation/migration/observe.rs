//! Looks at both installs and at the nodes.

pub(crate) mod nodes;

use chimera_core::codes;
use chimera_core::installation::config::InstallationConfig;
use chimera_core::message::Message;
use chimera_core::migrate::names::{LABEL, PRE_OPERATOR};
use chimera_core::migrate::{
    self, Manifest, Observation, OldControllers, OldNodes, Plan, copied_names, is_confined, leftovers, replaced,
};
use chimera_core::names::{CALICO_SYSTEM, TYPHA};
use chimera_core::object::{Object, ObjectKey};
use chimera_crds::parse;
use k8s_openapi::api::apps::v1::DaemonSet;
use serde_json::Value;

use super::super::dereference::failed;
use super::{Old, act, confined};
use crate::apply::live::{Known, LiveVersions as _};
use crate::client;
use crate::context::Context;

const RBAC: &str = "rbac.authorization.k8s.io/v1";

/// Reads the manifest install. Without its DaemonSet, which is watched, no request is made.
pub(in crate::controllers) async fn read(context: &Context) -> Result<Manifest, Message> {
    let mut manifest = Manifest::default();
    for (key, plural) in Manifest::keys() {
        if let Some(live) = get(context, &key, plural).await? {
            let object = Object::from_value(live);
            let object =
                object.map_err(|error| Message::new(&codes::UNREADABLE_RESOURCE, error.to_string()).on(&key))?;
            manifest.take(object).map_err(|message| *message)?;
        }
        if !manifest.is_install() {
            break;
        }
    }
    Ok(manifest)
}

/// Objects of the manifest install lack the operator's label, so that watches, but for that of the DaemonSet, do not tell
/// whether they are there.
async fn get(context: &Context, key: &ObjectKey, plural: &str) -> Result<Option<Value>, Message> {
    if context.versions.lacks(key) {
        return Ok(None);
    }
    let unreadable = |reason: String| Message::new(&codes::CLUSTER_READ_FAILED, reason).on(key);
    let live = act::api(&context.client, key, plural).get_opt(&key.name).await;
    let live = live.map_err(|error| unreadable(client::reason(&error, "get")))?;
    live.map(|live| serde_json::to_value(live).map_err(|error| unreadable(parse::in_words(&error.to_string()))))
        .transpose()
}

/// None if there is no manifest install, nor anything left of one.
pub(super) async fn run(
    context: &Context,
    config: &InstallationConfig,
    old: &Old,
) -> Result<Option<Observation>, Message> {
    let old_nodes = old.manifest.node.as_deref().map(old_nodes);
    if old_nodes.is_none() && !is_something_left(context) {
        return Ok(None);
    }
    let left = if old_nodes.is_some() { replaced() } else { leftovers() };
    Ok(Some(Observation {
        nodes: nodes::all(context).await?,
        old_nodes,
        old_typha: replicas(old.manifest.typha.as_deref()),
        old_controllers: old_controllers(&old.manifest),
        missing_felix: old.missing_felix.clone(),
        missing_rights: if old_nodes.is_some() { missing_rights(context).await? } else { Vec::new() },
        new_typha: config.cluster.typha_replicas,
        new_typha_available: typha_available(context),
        new_nodes_ready: new_nodes_ready(context).await?,
        remembered: old.remembered,
        left: present(context, left).await?,
        now: context.clock.now(),
    }))
}

/// What the manifest install has to get back before the Installation may go; none without one.
pub(super) async fn back(context: &Context) -> Result<Option<Plan>, Message> {
    let manifest = read(context).await?;
    let Some(daemon_set) = manifest.node.as_deref() else { return Ok(None) };
    let ours = context.reader.get(&confined::daemon_set(), "daemonsets").await.map_err(failed)?.is_some();
    Ok(migrate::back(old_nodes(daemon_set), ours, old_controllers(&manifest), &nodes::all(context).await?))
}

/// A label on a node, or a copy of rights; both are watched.
fn is_something_left(context: &Context) -> bool {
    let labelled = context.nodes.labels().values().any(|labels| labels.contains_key(LABEL));
    let copied = copied_names().into_iter().any(|(_, copy)| {
        let key = ObjectKey::cluster(RBAC, "ClusterRoleBinding", &copy);
        matches!(context.versions.version(&key), Known::At { .. })
    });
    labelled || copied
}

fn old_nodes(daemon_set: &DaemonSet) -> OldNodes {
    let pod = daemon_set.spec.as_ref().and_then(|spec| spec.template.spec.as_ref());
    let selector = pod.and_then(|pod| pod.node_selector.as_ref());
    let confined = selector.and_then(|selector| selector.get(LABEL)).is_some_and(|value| value == PRE_OPERATOR);
    let seen = daemon_set.status.as_ref().and_then(|status| status.observed_generation);
    OldNodes { confined, observed: seen >= daemon_set.metadata.generation }
}

fn replicas(deployment: Option<&k8s_openapi::api::apps::v1::Deployment>) -> Option<i32> {
    Some(deployment?.spec.as_ref()?.replicas.unwrap_or(1))
}

fn old_controllers(manifest: &Manifest) -> Option<OldControllers> {
    let deployment = manifest.controllers.as_deref();
    let pods = deployment?.status.as_ref().and_then(|status| status.replicas).unwrap_or_default();
    Some(OldControllers { replicas: replicas(deployment)?, pods })
}

fn typha_available(context: &Context) -> i32 {
    let key = ObjectKey::namespaced("apps/v1", "Deployment", CALICO_SYSTEM, TYPHA);
    context.workloads.rollout(&key).map_or(0, |rollout| rollout.available)
}

/// There, kept off nodes that the old install serves, and seen so by its controller.
async fn new_nodes_ready(context: &Context) -> Result<bool, Message> {
    let live = context.reader.get(&confined::daemon_set(), "daemonsets").await.map_err(failed)?;
    Ok(live.is_some_and(|live| {
        let number = |pointer| live.pointer(pointer).and_then(Value::as_i64);
        is_confined(&live) && number("/status/observedGeneration") >= number("/metadata/generation")
    }))
}

/// Copies that are to be made of what the operator's own objects of the same names are about to replace.
async fn missing_rights(context: &Context) -> Result<Vec<Object>, Message> {
    let mut missing = Vec::new();
    for (name, copy) in copied_names() {
        let binding_of = |name: &str| ObjectKey::cluster(RBAC, "ClusterRoleBinding", name);
        if get(context, &binding_of(&copy), "clusterrolebindings").await?.is_some() {
            continue;
        }
        let Some(binding) = get(context, &binding_of(name), "clusterrolebindings").await? else { continue };
        let role = binding.pointer("/roleRef/name").and_then(Value::as_str).unwrap_or(name);
        let role = ObjectKey::cluster(RBAC, "ClusterRole", role);
        let Some(role) = get(context, &role, "clusterroles").await? else { continue };
        missing.extend(migrate::rights(&binding, &role, &copy).into_iter().flatten());
    }
    Ok(missing)
}

async fn present(
    context: &Context,
    keys: Vec<(ObjectKey, &'static str)>,
) -> Result<Vec<(ObjectKey, &'static str)>, Message> {
    let mut present = Vec::new();
    for (key, plural) in keys {
        if get(context, &key, plural).await?.is_some() {
            present.push((key, plural));
        }
    }
    Ok(present)
}
