//! The status that the resource of a component carries itself: the conditions Ready, Progressing and Degraded.

use std::collections::BTreeMap;

use chimera_core::codes;
use chimera_core::message::Message;
use kube::Api;
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams};
use serde_json::json;
use tracing::warn;

use super::driver::Outcome;
use super::health::{Applied, of};
use super::installation_status::{conditions, patch};
use super::publish;
use super::subject::Subject;
use crate::client::{FIELD_MANAGER, reason};
use crate::context::Context;
use crate::status::health::Health;

/// Makes the component's TigeraStatus and its resource's own status say how it is. `plural`: as `goldmanes`.
pub async fn run(context: &Context, name: &'static str, health: &Health, subject: &Subject, plural: &str) -> Outcome {
    let Err(error) = write(context, health, subject, plural).await else {
        return publish::run(context, name, health, subject).await;
    };
    publish::run(context, name, &with_unwritten(health, &error, subject), subject).await;
    Outcome::Failed
}

/// After apply. `told`: what is known besides.
pub async fn applied(
    context: &Context,
    (name, plural): (&'static str, &str),
    subject: &Subject,
    applied: Vec<Applied>,
    told: impl IntoIterator<Item = Message>,
) -> Outcome {
    let mut health = of(context, &applied, subject.generation).await;
    health.extend(told);
    publish::restored(context, subject, &applied).await;
    run(context, name, &health, subject, plural).await
}

/// Nothing was applied: because of what is wrong with the input, or of what is waited for.
pub async fn invalid(
    context: &Context,
    (name, plural): (&'static str, &str),
    subject: &Subject,
    messages: Vec<Message>,
) -> Outcome {
    let mut health = Health { generation: subject.generation, ..Health::default() };
    health.extend(messages);
    run(context, name, &health, subject, plural).await
}

/// Logs that a resource's own status was not written. Where that was refused, the TigeraStatus says it as well.
pub(super) fn with_unwritten(health: &Health, error: &kube::Error, subject: &Subject) -> Health {
    let why = reason(error, "patch");
    warn!(error = why, object = %subject.key, "failed to write the status of a resource; trying again");
    let mut health = health.clone();
    if is_refusal(error) {
        let detail = format!("its status cannot be written: {why}");
        health.add(Message::new(&codes::STATUS_NOT_WRITTEN, detail).on(&subject.key).field("status"));
    }
    health
}

/// Whether it will be so until somebody does something; anything else passes.
fn is_refusal(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if matches!(status.code, 400 | 401 | 403 | 405 | 413 | 422))
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

#[cfg(test)]
mod tests {
    use kube::core::response::Status;
    use serde_json::Value;

    use super::*;

    fn told(status: Value) -> Vec<String> {
        let status: Status = serde_json::from_value(status).unwrap();
        let error = kube::Error::Api(status.boxed());
        let health = with_unwritten(&Health::default(), &error, &Subject::installation());
        assert!(health.available());
        health.warnings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_status_that_may_not_be_written_is_told_with_the_verb_and_one_that_only_failed_is_not() {
        let [text] = told(json!({"code": 403, "message": "no"})).try_into().unwrap();
        assert!(text.starts_with("Installation default status: its status cannot be written"), "{text}");
        assert!(text.contains("may not patch it"), "{text}");
        for code in [404, 409, 429, 500] {
            assert!(told(json!({"code": code, "message": "no"})).is_empty(), "{code}");
        }
    }
}
