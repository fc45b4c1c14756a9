//! The status that the resource of a component carries itself: the conditions Ready, Progressing and Degraded.

use std::collections::BTreeMap;

use kube::Api;
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams};
use serde_json::json;
use tracing::warn;

use super::driver::Outcome;
use super::installation_status::{conditions, patch};
use super::publish;
use super::subject::Subject;
use crate::client::{FIELD_MANAGER, reason};
use crate::context::Context;
use crate::status::health::Health;

/// Makes the component's TigeraStatus and its resource's own status say how it is. `plural`: as `goldmanes`.
pub async fn run(context: &Context, name: &'static str, health: &Health, subject: &Subject, plural: &str) -> Outcome {
    let outcome = publish::run(context, name, health, subject).await;
    match write(context, health, subject, plural).await {
        Ok(()) => outcome,
        Err(error) => {
            let error = reason(&error, "update");
            warn!(error, object = %subject.key, "failed to write the status of a resource; trying again");
            Outcome::Failed
        }
    }
}

/// Writes the conditions if they say something new.
async fn write(context: &Context, health: &Health, subject: &Subject, plural: &str) -> Result<(), kube::Error> {
    let live = context.reader.get(&subject.key, plural).await.map_err(|error| *error.source)?;
    let Some(live) = live else { return Ok(()) };
    let before = live.get("status").cloned().unwrap_or_default();
    let wanted = BTreeMap::from([("conditions", conditions(subject, health, &before, context.clock.now()))]);
    let patch = patch(&before, &wanted);
    if patch.is_empty() {
        return Ok(());
    }
    let params = PatchParams { field_manager: Some(FIELD_MANAGER.into()), ..PatchParams::default() };
    let patch = Patch::Merge(json!({"status": patch}));
    api(context, subject, plural).patch_status(&subject.key.name, &params, &patch).await.map(drop)
}

fn api(context: &Context, subject: &Subject, plural: &str) -> Api<DynamicObject> {
    let key = &subject.key;
    let resource = ApiResource {
        group: key.group().into(),
        version: key.version().into(),
        api_version: key.api_version.clone(),
        kind: key.kind.clone(),
        plural: plural.into(),
    };
    Api::all_with(context.client.clone(), &resource)
}
