//! Workloads whose rollout is not watched, since only plugins add any: they are read when the status is worked out.

use chimera_core::codes;
use chimera_core::message::Message;
use chimera_core::object::ObjectKey;
use serde_json::Value;

use super::health::failing;
use crate::context::Context;

/// What there is to say of a StatefulSet or a Job; nothing if it runs, or is done.
pub async fn look(context: &Context, key: &ObjectKey) -> Vec<Message> {
    let plural = if key.kind == "Job" { "jobs" } else { "statefulsets" };
    let live = match context.reader.get(key, plural).await {
        Ok(Some(live)) => live,
        Ok(None) => return vec![Message::new(&codes::ROLLING_OUT, "it is not there yet").on(key)],
        Err(error) => return vec![Message::new(&codes::CLUSTER_READ_FAILED, error.reason()).on(key)],
    };
    let told = if key.kind == "Job" { job(key, &live) } else { stateful_set(key, &live) };
    let Some(told) = told else { return Vec::new() };
    let mut messages = vec![told];
    messages.extend(failing(context, key, &selector(&live)).await);
    messages
}

fn job(key: &ObjectKey, live: &Value) -> Option<Message> {
    if condition(live, "Complete").is_some() {
        return None;
    }
    if let Some(failed) = condition(live, "Failed") {
        let text = |field: &str| failed.get(field).and_then(Value::as_str).unwrap_or_default();
        let detail = format!("it has failed: {}: {}", text("reason"), text("message"));
        return Some(Message::new(&codes::JOB_FAILED, detail).on(key));
    }
    let wanted = number(live, "/spec/completions").unwrap_or(1);
    let done = number(live, "/status/succeeded").unwrap_or_default();
    Some(Message::new(&codes::ROLLING_OUT, format!("{done} of {wanted} pods have done their work")).on(key))
}

fn stateful_set(key: &ObjectKey, live: &Value) -> Option<Message> {
    let wanted = number(live, "/spec/replicas").unwrap_or(1);
    let observed = number(live, "/status/observedGeneration") >= number(live, "/metadata/generation");
    let of = |field| number(live, field).unwrap_or_default();
    let detail = match (of("/status/updatedReplicas"), of("/status/availableReplicas")) {
        _ if !observed => "its controller has not seen the last change yet".into(),
        (updated, _) if updated < wanted => format!("{updated} of {wanted} pods run the current template"),
        (_, available) if available < wanted => format!("{available} of {wanted} pods are available"),
        _ => return None,
    };
    Some(Message::new(&codes::ROLLING_OUT, detail).on(key))
}

fn condition<'a>(live: &'a Value, kind: &str) -> Option<&'a Value> {
    let conditions = live.pointer("/status/conditions").and_then(Value::as_array).into_iter().flatten();
    let is = |condition: &Value, field: &str, value: &str| condition.get(field).is_some_and(|field| field == value);
    conditions.into_iter().find(|condition| is(condition, "type", kind) && is(condition, "status", "True"))
}

fn number(live: &Value, pointer: &str) -> Option<i64> {
    live.pointer(pointer).and_then(Value::as_i64)
}

fn selector(live: &Value) -> String {
    let labels = live.pointer("/spec/selector/matchLabels").and_then(Value::as_object).into_iter().flatten();
    let pairs: Vec<_> = labels.filter_map(|(name, value)| Some(format!("{name}={}", value.as_str()?))).collect();
    pairs.join(",")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(kind: &str, live: &Value) -> Option<String> {
        let key = ObjectKey::namespaced("batch/v1", kind, "meadow", "shear");
        let message = if kind == "Job" { job(&key, live) } else { stateful_set(&key, live) };
        message.map(|message| message.to_string())
    }

    #[test]
    fn a_failed_job_is_named_with_its_reason_and_a_done_one_is_not_mentioned() {
        let with = |kind: &str| {
            json!({"status": {"conditions": [{"type": kind, "status": "True", "reason": "BackoffLimitExceeded",
                "message": "Job has reached the specified backoff limit"}]}})
        };
        let text = told("Job", &with("Failed")).unwrap();
        let start =
            "Job meadow/shear: it has failed: BackoffLimitExceeded: Job has reached the specified backoff limit. ";
        assert!(text.starts_with(start) && text.ends_with("(CHM0510)"), "{text}");
        assert_eq!(told("Job", &with("Complete")), None);
        let text = told("Job", &json!({"status": {"active": 1}})).unwrap();
        assert!(text.contains("0 of 1 pods have done their work"), "{text}");
    }

    #[test]
    fn a_stateful_set_is_complete_only_when_its_newest_spec_was_seen_and_every_pod_is_available() {
        let live = |observed: i64, updated: i64, available: i64| {
            json!({"metadata": {"generation": 2}, "spec": {"replicas": 2}, "status": {"observedGeneration": observed,
                "updatedReplicas": updated, "availableReplicas": available}})
        };
        assert_eq!(told("StatefulSet", &live(2, 2, 2)), None);
        for (live, text) in [
            (live(1, 2, 2), "has not seen the last change"),
            (live(2, 1, 2), "1 of 2 pods run the current template"),
            (live(2, 2, 1), "1 of 2 pods are available"),
        ] {
            let told = told("StatefulSet", &live).unwrap();
            assert!(told.contains(text), "{told}");
        }
    }
}
