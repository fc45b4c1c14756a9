//! Goldmane and Whisker.

use chimera_crds::projectcalico::{ClusterInformation, ClusterInformationSpec};
use chimera_crds::{Goldmane, ManagementClusterConnection, Whisker};

use super::{Asked, Config, Files, NAME, Part, find};
use crate::codes;
use crate::goldmane::{self, KIND as GOLDMANE};
use crate::installation::config::Owner;
use crate::message::Message;
use crate::render::{self, Error};
use crate::whisker::{self, KIND as WHISKER};

pub(super) fn goldmane(files: Files<'_>) -> Asked {
    let Some((owner, resource)) = find::<Goldmane>(files.objects, GOLDMANE)? else { return Ok(None) };
    usual_name(GOLDMANE, &owner)?;
    let is_managed = find::<ManagementClusterConnection>(files.objects, "ManagementClusterConnection")?.is_some();
    let config = goldmane::validate(&resource, files.installation.clone(), files.inputs, is_managed, files.env)?;
    let mut components = vec![render::goldmane::component(&config).map_err(Error::messages)?];
    if files.installation.takes_policies {
        components.push(render::goldmane::policy(&config).map_err(Error::messages)?);
    }
    let warnings = config.warnings.clone();
    Ok(Some(Part { config: Config::Goldmane(Box::new(config)), components, warnings }))
}

pub(super) fn whisker(files: Files<'_>) -> Asked {
    let Some((owner, resource)) = find::<Whisker>(files.objects, WHISKER)? else { return Ok(None) };
    usual_name(WHISKER, &owner)?;
    let cluster = cluster(files);
    let config = whisker::validate(&resource, files.installation.clone(), files.inputs, cluster, files.env)?;
    let mut warnings = config.warnings.clone();
    let mut components = Vec::new();
    if files.inputs.goldmane.is_none() {
        warnings.push(whisker::without_goldmane(&owner.name));
    } else {
        components.push(render::whisker::component(&config).map_err(Error::messages)?);
        if files.installation.takes_policies {
            components.push(render::whisker::policy(&config).map_err(Error::messages)?);
        }
    }
    Ok(Some(Part { config: Config::Whisker(Box::new(config)), components, warnings }))
}

/// Of these the operator serves the one of the usual name only.
fn usual_name(kind: &str, owner: &Owner) -> Result<(), Vec<Message>> {
    if owner.name == NAME {
        return Ok(());
    }
    let detail = format!("the operator serves one {kind}, named `{NAME}`, not {:?}", owner.name);
    let message = Message::new(&codes::UNEXPECTED_NAME, detail).on(format!("{kind} {}", owner.name));
    Err(vec![message.field("metadata.name")])
}

/// What the cluster's Calico says of itself, if a file does.
fn cluster(files: Files<'_>) -> Option<ClusterInformationSpec> {
    let is = |group: &str| ["crd.projectcalico.org", "projectcalico.org"].contains(&group);
    let mut objects = files.objects.iter();
    let object = objects.find(|object| {
        is(object.key().group()) && object.key().kind == "ClusterInformation" && object.key().name == NAME
    })?;
    serde_json::from_value::<ClusterInformation>(object.clone().into_value()).ok().map(|information| information.spec)
}
