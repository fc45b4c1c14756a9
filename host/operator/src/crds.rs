//! The CustomResourceDefinitions: waits until they are served, or installs and upgrades them.

mod keep;

use std::collections::BTreeSet;
use std::time::Duration;

use chimera_core::codes;
use chimera_core::installation::config::ApiGroup;
use chimera_core::message::Message;
use chimera_crds::manifests;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::PostParams;
use kube::{Api, Client};
use serde_json::Value;
use tokio::time::{Instant, sleep};
use tracing::{info, warn};

use crate::client::FIELD_MANAGER;
use crate::vitals::{Stage, Vitals};

/// Time between two looks while CustomResourceDefinitions are missing.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// The message about missing ones is repeated at most this often.
const TELL_EVERY: Duration = Duration::from_secs(60);

/// Names without which nothing can be done.
const OPERATOR: [&str; 3] =
    ["installations.operator.tigera.io", "imagesets.operator.tigera.io", "tigerastatuses.operator.tigera.io"];
/// Plurals of Calico's resources that the operator reads and writes.
const CALICO: [&str; 3] = ["ippools", "felixconfigurations", "bgpconfigurations"];

/// Something is wrong with a CustomResourceDefinition.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The API server does not answer or refuses.
    #[error("failed to {verb} the CustomResourceDefinition {name}")]
    Request {
        /// What was tried.
        verb: &'static str,
        /// On which one.
        name: String,
        /// Why it failed.
        #[source]
        source: Box<kube::Error>,
    },
    /// One of ours cannot be read: the operator was built from broken files.
    #[error("failed to read an embedded CustomResourceDefinition")]
    Embedded(#[source] serde_json::Error),
    /// One of ours cannot be turned into JSON.
    #[error("failed to serialise the CustomResourceDefinition {name}")]
    Serialise {
        /// Which one.
        name: String,
        /// Why it failed.
        #[source]
        source: serde_json::Error,
    },
}

/// Makes sure that everything needed is served; gives back the API group of Calico's own resources.
///
/// # Errors
/// If `manage` is set and one cannot be installed.
pub async fn prepare(
    client: &Client,
    manage: bool,
    group: Option<ApiGroup>,
    vitals: &Vitals,
) -> Result<ApiGroup, Error> {
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    if manage {
        install(&api, served_group(&api, group).await?.unwrap_or_default()).await?;
    }
    let mut told: Option<Instant> = None;
    loop {
        let found = missing(&api, group).await;
        if let Ok((missing, _)) = &found {
            vitals.enter(Stage::LacksCrds(missing.clone()));
        }
        match found {
            Ok((missing, Some(group))) if missing.is_empty() => return Ok(group),
            Ok((missing, _)) if told.is_none_or(|told| told.elapsed() >= TELL_EVERY) => {
                tell("not served yet", missing);
                told = Some(Instant::now());
            }
            Ok(_) => {}
            Err(error) => warn!(error = %error.source_text(), "{error}; trying again"),
        }
        sleep(LOOK_EVERY).await;
    }
}

pub use keep::keep;

fn tell(what: &str, missing: BTreeSet<String>) {
    let names: Vec<_> = missing.into_iter().collect();
    let message = Message::new(&codes::WAITING_FOR_CRDS, format!("{what}: {}", names.join(", ")));
    warn!(code = codes::WAITING_FOR_CRDS.id, "{message}");
}

impl Error {
    fn source_text(&self) -> String {
        std::error::Error::source(self).map(ToString::to_string).unwrap_or_default()
    }
}

/// Which ones are missing, and which group is served.
async fn missing(
    api: &Api<CustomResourceDefinition>,
    wanted: Option<ApiGroup>,
) -> Result<(BTreeSet<String>, Option<ApiGroup>), Error> {
    let mut missing = BTreeSet::new();
    for name in OPERATOR {
        match get(api, name).await? {
            Some(crd) if name != OPERATOR[0] || remembers(&crd) => {}
            Some(_) => {
                missing.insert(format!("{name} with status.defaults"));
            }
            None => {
                missing.insert(name.to_owned());
            }
        }
    }
    let group = served_group(api, wanted).await?;
    for plural in CALICO {
        let name = format!("{plural}.{}", group.or(wanted).unwrap_or_default().group());
        if get(api, &name).await?.is_none() {
            missing.insert(name);
        }
    }
    Ok((missing, group))
}

/// Names of those that the cluster does not serve, by what it says of its API groups: much less to read than the
/// CustomResourceDefinitions themselves.
///
/// # Errors
/// If the API server does not answer.
pub async fn unserved(client: &Client, wanted: Option<ApiGroup>) -> Result<BTreeSet<String>, kube::Error> {
    let served = client.list_api_groups().await?.groups;
    let is_served = |group: ApiGroup| served.iter().any(|served| served.name == group.group());
    let calico = wanted.or_else(|| [ApiGroup::V1, ApiGroup::V3].into_iter().find(|group| is_served(*group)));
    let calico = calico.unwrap_or_default();
    let mut missing: BTreeSet<String> = OPERATOR.iter().map(ToString::to_string).collect();
    missing.extend(CALICO.iter().map(|plural| format!("{plural}.{}", calico.group())));
    for api_version in ["operator.tigera.io/v1", calico.api_version()] {
        let group = api_version.split('/').next().unwrap_or_default();
        if served.iter().any(|served| served.name == group) {
            for resource in client.list_api_group_resources(api_version).await?.resources {
                missing.remove(&format!("{}.{group}", resource.name));
            }
        }
    }
    Ok(missing)
}

/// The group that the cluster serves as CustomResourceDefinitions, the wanted one only if there is a choice.
async fn served_group(
    api: &Api<CustomResourceDefinition>,
    wanted: Option<ApiGroup>,
) -> Result<Option<ApiGroup>, Error> {
    if wanted.is_some() {
        return Ok(wanted);
    }
    for group in [ApiGroup::V1, ApiGroup::V3] {
        if get(api, &format!("ippools.{}", group.group())).await?.is_some() {
            return Ok(Some(group));
        }
    }
    Ok(None)
}

/// Whether the served Installation keeps `status.defaults`, without which defaults would be chosen anew each time.
fn remembers(crd: &CustomResourceDefinition) -> bool {
    let schemas = crd.spec.versions.iter().filter_map(|version| version.schema.as_ref()?.open_api_v3_schema.as_ref());
    let mut statuses = schemas.filter_map(|schema| schema.properties.as_ref()?.get("status"));
    statuses.any(|status| status.properties.as_ref().is_some_and(|properties| properties.contains_key("defaults")))
}

async fn install(api: &Api<CustomResourceDefinition>, group: ApiGroup) -> Result<(), Error> {
    // One at a time: all of them at once would take many times the memory that the operator needs afterwards.
    for json in wanted(group) {
        put(api, serde_json::from_str(json).map_err(Error::Embedded)?).await?;
    }
    Ok(())
}

/// Every CustomResourceDefinition that the operator brings, each as JSON.
pub fn wanted(group: ApiGroup) -> impl Iterator<Item = &'static str> {
    let calico = match group {
        ApiGroup::V1 => chimera_crds::projectcalico::ApiGroup::V1,
        ApiGroup::V3 => chimera_crds::projectcalico::ApiGroup::V3,
    };
    manifests::operator_json().chain(manifests::projectcalico_json(calico))
}

async fn put(api: &Api<CustomResourceDefinition>, crd: CustomResourceDefinition) -> Result<(), Error> {
    let name = crd.metadata.name.clone().unwrap_or_default();
    let params = PostParams { field_manager: Some(FIELD_MANAGER.into()), ..PostParams::default() };
    let failed = |verb| move |source: kube::Error, name: &str| request(verb, name, source);
    let Some(mut live) = get(api, &name).await? else {
        api.create(&params, &crd).await.map_err(|source| failed("create")(source, &name))?;
        info!(name, "installed a CustomResourceDefinition");
        return Ok(());
    };
    if same(&live, &crd).map_err(|source| Error::Serialise { name: name.clone(), source })? {
        return Ok(());
    }
    // What the cluster's administrator added to the metadata stays.
    live.spec = crd.spec;
    api.replace(&name, &params, &live).await.map_err(|source| failed("update")(source, &name))?;
    info!(name, "upgraded a CustomResourceDefinition");
    Ok(())
}

async fn get(api: &Api<CustomResourceDefinition>, name: &str) -> Result<Option<CustomResourceDefinition>, Error> {
    api.get_opt(name).await.map_err(|source| request("read", name, source))
}

fn request(verb: &'static str, name: &str, source: kube::Error) -> Error {
    Error::Request { verb, name: name.into(), source: Box::new(source) }
}

/// Whether the live one holds all that ours says; what the server filled in does not count.
fn same(live: &CustomResourceDefinition, ours: &CustomResourceDefinition) -> serde_json::Result<bool> {
    Ok(holds(&serde_json::to_value(&live.spec)?, &serde_json::to_value(&ours.spec)?))
}

fn holds(live: &Value, ours: &Value) -> bool {
    match (live, ours) {
        (Value::Object(live), Value::Object(ours)) => {
            ours.iter().all(|(name, value)| live.get(name).is_some_and(|live| holds(live, value)))
        }
        (Value::Array(live), Value::Array(ours)) => {
            live.len() == ours.len() && live.iter().zip(ours).all(|(live, ours)| holds(live, ours))
        }
        _ => live == ours,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_server_fills_in_is_no_difference_but_another_value_is() {
        let ours = json!({"names": {"kind": "Sheep"}, "versions": [{"name": "v1"}]});
        assert!(holds(
            &json!({"names": {"kind": "Sheep", "singular": "sheep"}, "versions": [{"name": "v1", "x": 1}]}),
            &ours
        ));
        assert!(!holds(&json!({"names": {"kind": "Goat"}, "versions": [{"name": "v1"}]}), &ours));
        assert!(!holds(&json!({"names": {"kind": "Sheep"}, "versions": []}), &ours));
    }
}
