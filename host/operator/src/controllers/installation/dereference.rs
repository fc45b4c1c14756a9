//! Reads everything that an Installation depends on; decides nothing.

mod goldmane;
mod surroundings;
mod trust;

use std::sync::Arc;

use chimera_core::certificates::{GOLDMANE_SECRET, Secrets};
use chimera_core::codes;
use chimera_core::installation::inputs::{ConfigMaps, InstallationInputs, NodeFacts};
use chimera_core::installation::overlay::{self, OVERLAY};
use chimera_core::message::Message;
use chimera_core::object::{Object, ObjectKey};
use chimera_crds::parse;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::context::Context;
use crate::controllers::calico_api;
use crate::controllers::subject::{API_VERSION, INSTALLATION, Subject};
use crate::reader;
use crate::watch::versions::Scope;

/// Key pairs of the operator; the user may have made them first.
const KEY_PAIRS: [&str; 3] = ["tigera-ca-private", "node-certs", "typha-certs"];

/// What was read.
pub(in crate::controllers) struct Found {
    /// The Installation, as conditions and Events name it.
    pub(in crate::controllers) subject: Subject,
    /// All the rest.
    pub(in crate::controllers) inputs: InstallationInputs,
    /// Names of Installations that the operator does not serve.
    pub(in crate::controllers) strays: Vec<String>,
}

/// Reads; none if there is no Installation to serve.
pub(in crate::controllers) async fn run(context: &Context) -> Result<Option<Found>, Message> {
    let strays = strays(context);
    let Some(live) = find(context, &strays).await? else { return Ok(None) };
    let subject = Subject::of(&live);
    let (installation, overlay) = installation(context, &live).await?;
    let mut inputs = InstallationInputs { overlay, ..InstallationInputs::new(installation) };
    inputs.felix = calico(context, "FelixConfiguration", "felixconfigurations").await?.into_iter().find(is_default);
    inputs.bgp = calico(context, "BGPConfiguration", "bgpconfigurations").await?.into_iter().find(is_default);
    inputs.ip_pools = calico(context, "IPPool", "ippools").await?;
    inputs.image_sets = image_sets(context, is_new(&live)).await?;
    inputs.goldmane = goldmane::read(context, &live).await?;
    inputs.secrets = secrets(context, &inputs).await?;
    inputs.trusted = trust::read(context).await?;
    inputs.config_maps = config_maps(context).await?;
    inputs.nodes = nodes(context);
    inputs.api_groups = context.settings.api_groups.clone();
    inputs.aws_node = aws_node(context).await?;
    inputs.manifest = super::migration::read(context).await?;
    surroundings::read(context, &mut inputs).await?;
    inputs.api_group = context.settings.api_group;
    // Not to know is as good as an API that does not answer: what there is stays, and nothing else waits for it.
    inputs.takes_policies = calico_api::takes_policies(context).await.unwrap_or_default();
    inputs.cluster_domain = context.settings.cluster_domain.clone();
    inputs.variants = context.plugins.current().variants();
    Ok(Some(Found { subject, inputs, strays }))
}

/// The one named `default`; without it one of the others, so that validation can say what is wrong with it.
async fn find(context: &Context, strays: &[String]) -> Result<Option<Arc<Value>>, Message> {
    let name = strays.first().map(String::as_str);
    for name in std::iter::once("default").chain(name) {
        let key = ObjectKey::cluster(API_VERSION, INSTALLATION, name);
        if let Some(live) = context.reader.get(&key, "installations").await.map_err(failed)? {
            return Ok(Some(live));
        }
    }
    Ok(None)
}

/// As a type, with what was laid over it.
async fn installation(context: &Context, live: &Value) -> Result<(chimera_crds::Installation, Option<Value>), Message> {
    let mut live = live.clone();
    let key = ObjectKey::cluster(API_VERSION, INSTALLATION, OVERLAY);
    let over = context.reader.get(&key, "installations").await.map_err(failed)?;
    if let Some(over) = &over {
        // What is wrong with it alone is told of it.
        parse::resource::<chimera_crds::Installation>((**over).clone()).map_err(unreadable)?;
        overlay::lay(&mut live, over);
    }
    Ok((parse::resource(live).map_err(unreadable)?, over.map(|over| (*over).clone())))
}

pub(super) fn strays(context: &Context) -> Vec<String> {
    let keys = context.versions.keys(&scope(API_VERSION, INSTALLATION));
    keys.into_iter().map(|key| key.name).filter(|name| name != "default" && name != OVERLAY).collect()
}

async fn calico(context: &Context, kind: &str, plural: &str) -> Result<Vec<Object>, Message> {
    let scope = scope(context.settings.api_group.api_version(), kind);
    let live = context.reader.every(&scope, plural).await.map_err(failed)?;
    live.into_iter().map(|value| Object::from_value((*value).clone()).map_err(|error| broken(kind, &error))).collect()
}

fn is_default(object: &Object) -> bool {
    object.key().name == "default"
}

/// Whether nobody has acted on this generation of the Installation yet.
fn is_new(live: &Value) -> bool {
    let conditions = live.pointer("/status/conditions").and_then(Value::as_array);
    let observed = conditions.into_iter().flatten().filter_map(|condition| condition.get("observedGeneration"));
    let generation = live.pointer("/metadata/generation");
    !observed.into_iter().any(|observed| Some(observed) == generation)
}

/// Images decide whether pods restart, so one that was made just before the Installation must not be seen too late.
async fn image_sets(context: &Context, is_new: bool) -> Result<Vec<chimera_crds::ImageSet>, Message> {
    let scope = scope(API_VERSION, "ImageSet");
    let live = match is_new {
        true => context.reader.list(&scope, "imagesets").await,
        false => context.reader.every(&scope, "imagesets").await,
    };
    live.map_err(failed)?.into_iter().map(|value| parse::resource((*value).clone()).map_err(unreadable)).collect()
}

async fn secrets(context: &Context, inputs: &InstallationInputs) -> Result<Secrets, Message> {
    let pull_secrets = inputs.installation.spec.image_pull_secrets.iter().flatten().map(|secret| secret.name.clone());
    // Nodes trust Goldmane's, if it runs and the user brought it.
    let goldmane = inputs.goldmane.as_ref().map(|_| GOLDMANE_SECRET.to_owned());
    let names: Vec<_> = KEY_PAIRS.into_iter().map(String::from).chain(pull_secrets).chain(goldmane).collect();
    secrets_named(context, &names).await
}

/// Those of these Secrets that are in the operator's namespace.
pub(in crate::controllers) async fn secrets_named(context: &Context, names: &[String]) -> Result<Secrets, Message> {
    let mut secrets = Secrets::new();
    for name in names {
        let key = ObjectKey::namespaced("v1", "Secret", &context.settings.namespace, name);
        if let Some(live) = context.reader.get(&key, "secrets").await.map_err(failed)? {
            let secret: k8s_openapi::api::core::v1::Secret = typed(&key, &live)?;
            secrets.insert(name.clone(), secret.into());
        }
    }
    Ok(secrets)
}

async fn config_maps(context: &Context) -> Result<ConfigMaps, Message> {
    let kubeadm = ObjectKey::namespaced("v1", "ConfigMap", "kube-system", "kubeadm-config");
    let endpoint =
        ObjectKey::namespaced("v1", "ConfigMap", &context.settings.namespace, "kubernetes-services-endpoint");
    Ok(ConfigMaps { kubeadm: data(context, &kubeadm).await?, services_endpoint: data(context, &endpoint).await? })
}

async fn data(
    context: &Context,
    key: &ObjectKey,
) -> Result<Option<std::collections::BTreeMap<String, String>>, Message> {
    let Some(live) = context.reader.get(key, "configmaps").await.map_err(failed)? else { return Ok(None) };
    let map: k8s_openapi::api::core::v1::ConfigMap = typed(key, &live)?;
    Ok(Some(map.data.unwrap_or_default()))
}

fn nodes(context: &Context) -> Vec<NodeFacts> {
    context.nodes.labels().into_iter().map(|(name, labels)| NodeFacts { name, labels }).collect()
}

async fn aws_node(context: &Context) -> Result<bool, Message> {
    let key = ObjectKey::namespaced("apps/v1", "DaemonSet", "kube-system", "aws-node");
    Ok(context.reader.get(&key, "daemonsets").await.map_err(failed)?.is_some())
}

fn scope(api_version: &str, kind: &str) -> Scope {
    Scope::all(api_version, kind)
}

pub(in crate::controllers) fn typed<T: DeserializeOwned>(key: &ObjectKey, live: &Value) -> Result<T, Message> {
    serde_path_to_error::deserialize(live).map_err(|error| {
        let detail = parse::in_words(&error.inner().to_string());
        Message::new(&codes::UNREADABLE_RESOURCE, detail).on(key).field(error.path().to_string())
    })
}

fn unreadable(error: parse::ParseError) -> Message {
    Message::new(&codes::UNREADABLE_RESOURCE, error.message).on(error.resource).field(error.path)
}

fn broken(kind: &str, error: &chimera_core::object::Error) -> Message {
    Message::new(&codes::UNREADABLE_RESOURCE, error.to_string()).on(kind)
}

pub(in crate::controllers) fn failed(error: reader::Error) -> Message {
    Message::new(&codes::CLUSTER_READ_FAILED, error.reason()).on(error.key)
}
