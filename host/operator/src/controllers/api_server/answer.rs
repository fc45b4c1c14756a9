//! What an APIService says of whoever answers for Calico's own API.

use chimera_core::codes::{self, Code};
use chimera_core::message::Message;
use chimera_core::names::{API_SERVER_SERVICE, API_SERVICE, CALICO_SYSTEM};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::apply::is_ours;

/// The Kubernetes API servers look at whom they may ask this often, at least.
const PATIENCE: SignedDuration = SignedDuration::from_secs(60);

/// Who answers instead of the operator's server; none if nobody else does.
pub(super) fn of_others(live: Option<&Value>) -> Option<Message> {
    let live = live.filter(|live| !is_ours(live))?;
    let part = |name: &str| live.pointer(&format!("/spec/service/{name}")).and_then(Value::as_str);
    let who = match (part("namespace"), part("name")) {
        (Some(CALICO_SYSTEM), Some(API_SERVER_SERVICE)) => return None,
        (Some(namespace), Some(name)) => format!("it has Service {namespace}/{name} asked"),
        _ => "the Kubernetes API servers answer by themselves, from CustomResourceDefinitions".to_owned(),
    };
    let detail = format!("{who}, and the operator did not make it, so it is left alone");
    Some(told(&codes::API_SERVICE_FOREIGN, detail))
}

/// Why it does not answer; none if it does. `running`: the pods that should are there.
pub(super) fn missing(live: Option<&Value>, running: bool, now: Timestamp) -> Option<Message> {
    let conditions = live.and_then(|live| live.pointer("/status/conditions")).and_then(Value::as_array);
    let available = conditions.into_iter().flatten().find(|condition| text(condition, "type") == Some("Available"));
    let Some(available) = available else {
        return Some(told(&codes::API_SERVICE_WAITING, "nobody has looked yet whether it answers"));
    };
    if text(available, "status") == Some("True") {
        return None;
    }
    let since = text(available, "lastTransitionTime").and_then(|since| since.parse::<Timestamp>().ok());
    let long = since.is_some_and(|since| now.duration_since(since) > PATIENCE);
    let code = if running && long { &codes::API_SERVICE_UNAVAILABLE } else { &codes::API_SERVICE_WAITING };
    let reason = text(available, "reason").unwrap_or("Unknown");
    let message = text(available, "message").unwrap_or("no more is said").trim_end_matches('.');
    Some(told(code, format!("{reason}: {message}")))
}

fn told(code: &'static Code, detail: impl Into<String>) -> Message {
    Message::new(code, detail).on(format!("APIService {API_SERVICE}"))
}

fn text<'a>(value: &'a Value, field: &str) -> Option<&'a str> {
    value.get(field).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use chimera_core::codes::Severity;
    use serde_json::json;

    use super::*;

    fn theirs(service: Value) -> Value {
        json!({"metadata": {"name": "v3.projectcalico.org"}, "spec": {"service": service}})
    }

    #[test]
    fn somebody_elses_server_is_named() {
        let live = theirs(json!({"namespace": "barn", "name": "sheep"}));
        assert!(of_others(Some(&live)).unwrap().to_string().contains("Service barn/sheep"));
        assert!(of_others(Some(&theirs(Value::Null))).is_some(), "Kubernetes answers by itself");
        assert!(of_others(None).is_none());
    }

    #[test]
    fn what_the_operator_made_is_its_own_wherever_it_points() {
        let mut live = theirs(json!({"namespace": "calico-apiserver", "name": "calico-api"}));
        assert!(of_others(Some(&live)).is_some());
        live["metadata"]["ownerReferences"] = json!([{"apiVersion": "operator.tigera.io/v1", "kind": "APIServer"}]);
        assert!(of_others(Some(&live)).is_none());
    }

    #[test]
    fn an_api_without_a_backend_is_an_error_only_once_its_pods_should_have_been_found() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let live = json!({"status": {"conditions": [{"type": "Available", "status": "False",
            "lastTransitionTime": "2026-01-01T00:00:00Z", "reason": "FailedDiscoveryCheck", "message": "no route."}]}});
        let severity = |running, now: &str| missing(Some(&live), running, at(now)).unwrap().code().severity;
        assert_eq!(severity(true, "2026-01-01T00:01:00Z"), Severity::Info);
        assert_eq!(severity(true, "2026-01-01T00:01:01Z"), Severity::Error);
        assert_eq!(severity(false, "2026-01-01T01:00:00Z"), Severity::Info);
        let message = missing(Some(&live), true, at("2026-01-01T01:00:00Z")).unwrap().to_string();
        assert!(message.contains("FailedDiscoveryCheck: no route"), "{message}");
    }

    #[test]
    fn an_api_that_answers_is_not_missed() {
        let live = json!({"status": {"conditions": [{"type": "Available", "status": "True"}]}});
        assert!(missing(Some(&live), true, Timestamp::UNIX_EPOCH).is_none());
    }
}
