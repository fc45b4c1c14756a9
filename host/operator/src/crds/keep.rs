//! CustomResourceDefinitions that are deleted while the operator runs.

use std::collections::BTreeMap;
use std::time::Duration;

use chimera_core::installation::config::ApiGroup;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::PostParams;
use kube::{Api, Client};
use serde::Deserialize;
use tokio::time::sleep;
use tracing::{info, warn};

use super::{Error, get, request, tell, unserved, wanted};
use crate::client::FIELD_MANAGER;

/// Between two looks. A watch of what is not served goes on by itself once it is.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// The part of a CustomResourceDefinition that says what it is called.
#[derive(Deserialize)]
struct Head {
    metadata: Metadata,
    spec: Spec,
}

#[derive(Deserialize)]
struct Metadata {
    name: String,
}

#[derive(Deserialize)]
struct Spec {
    group: String,
    versions: Vec<Version>,
}

#[derive(Deserialize)]
struct Version {
    name: String,
}

/// Looks now and then, for as long as the process lives. With `manage` what was deleted is installed again; without,
/// what the operator cannot do without is told in the log.
pub async fn keep(client: Client, manage: bool, group: ApiGroup) {
    loop {
        sleep(LOOK_EVERY).await;
        if manage && let Err(error) = bring_back(&client, group).await {
            warn!(error = %error.source_text(), "{error}; trying again");
        }
        match unserved(&client, Some(group)).await {
            Ok(missing) if missing.is_empty() => {}
            Ok(missing) => tell("not served any more", missing),
            Err(error) => {
                let error = crate::client::reason(&error, "list");
                warn!(error, "failed to look whether the CustomResourceDefinitions are still served; trying again");
            }
        }
    }
}

/// Creates those that are gone. One that is there is left as it is: it was upgraded at the start.
async fn bring_back(client: &Client, group: ApiGroup) -> Result<(), Error> {
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    for (name, json) in missing(client, group).await? {
        // It may be served no more, or not yet, and be there all the same.
        if get(&api, &name).await?.is_some() {
            continue;
        }
        let crd = serde_json::from_str(json).map_err(Error::Embedded)?;
        let params = PostParams { field_manager: Some(FIELD_MANAGER.into()), ..PostParams::default() };
        api.create(&params, &crd).await.map_err(|source| request("create", &name, source))?;
        info!(name, "installed a CustomResourceDefinition again that somebody had deleted");
    }
    Ok(())
}

/// Those that the cluster does not serve, by what it says of its API groups, with their JSON.
async fn missing(client: &Client, group: ApiGroup) -> Result<BTreeMap<String, &'static str>, Error> {
    let mut missing = BTreeMap::new();
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for json in wanted(group) {
        let Head { metadata, spec } = serde_json::from_str(json).map_err(Error::Embedded)?;
        let all = spec.versions.into_iter().map(|version| format!("{}/{}", spec.group, version.name));
        versions.entry(spec.group.clone()).or_default().extend(all);
        missing.insert(metadata.name, json);
    }
    let failed = |source| request("look for", "discovery", source);
    let served = client.list_api_groups().await.map_err(failed)?.groups;
    for version in served.iter().flat_map(|group| &group.versions) {
        let Some((group, _)) = version.group_version.split_once('/') else { continue };
        if versions.get(group).is_some_and(|ours| ours.contains(&version.group_version)) {
            let resources = client.list_api_group_resources(&version.group_version).await.map_err(failed)?.resources;
            for resource in resources {
                missing.remove(&format!("{}.{group}", resource.name));
            }
        }
    }
    Ok(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_definition_that_the_operator_brings_says_how_it_is_served() {
        for json in wanted(ApiGroup::V1).chain(wanted(ApiGroup::V3)) {
            let Head { metadata, spec } = serde_json::from_str(json).unwrap();
            assert!(metadata.name.ends_with(&format!(".{}", spec.group)), "{}", metadata.name);
            assert!(!spec.versions.is_empty(), "{}", metadata.name);
        }
    }
}
