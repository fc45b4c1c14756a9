//! Why an object could not be brought about, in words for an administrator.

use std::time::Duration;

use chimera_core::codes::{self, Code};
use chimera_core::message::Message;
use chimera_core::object::ObjectKey;
use kube::core::response::Status;

use super::invalid;

/// Kind of a [`Failure`]: what could help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The operator lacks a permission.
    Forbidden,
    /// A policy, a webhook or a quota of the cluster denied it.
    Denied,
    /// The API server's validation refuses what it holds.
    Invalid,
    /// The cluster does not serve the kind.
    KindMissing,
    /// The namespace is not there, or is being deleted.
    NamespaceMissing,
    /// It changed while it was being written.
    Conflict,
    /// The former object is still being deleted.
    Leaving,
    /// An object of this name is there that the operator may not replace.
    Foreign,
    /// The API server could not be reached, is busy or failed.
    Unavailable,
    /// The object names no place where it could be.
    Misplaced,
}

/// One object that could not be brought about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The object.
    pub key: ObjectKey,
    /// For the status.
    pub message: Message,
    /// Kind.
    pub kind: FailureKind,
    /// Fields that hold what the API server's validation refuses.
    pub fields: Vec<String>,
    /// When the API server wants to be asked again, if it said so.
    pub retry_after: Option<Duration>,
    /// Reason of the API server's answer, empty if there was none.
    reason: String,
}

/// What was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Get,
    Create,
    Update,
    Delete,
}

impl Verb {
    fn word(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }
}

/// Longest text of the API server that a message repeats, in characters.
const LONGEST: usize = 800;

impl Failure {
    pub(super) fn new(key: &ObjectKey, kind: FailureKind, detail: impl Into<String>) -> Self {
        let message = Message::new(code(kind), detail).on(key);
        Self { key: key.clone(), message, kind, fields: Vec::new(), retry_after: None, reason: String::new() }
    }

    /// Whether it will pass by itself.
    pub fn is_transient(&self) -> bool {
        matches!(self.kind, FailureKind::Conflict | FailureKind::Leaving | FailureKind::Unavailable)
    }

    pub(super) fn is_object_missing(&self) -> bool {
        self.reason == "NotFound" && self.kind == FailureKind::Unavailable
    }

    pub(super) fn is_already_there(&self) -> bool {
        self.reason == "AlreadyExists"
    }
}

/// What to do is another thing for each of these.
fn code(kind: FailureKind) -> &'static Code {
    match kind {
        FailureKind::Invalid => &codes::OBJECT_INVALID,
        FailureKind::Leaving => &codes::OBJECT_LEAVING,
        _ => &codes::APPLY_FAILED,
    }
}

pub(super) fn unsendable(key: &ObjectKey) -> Failure {
    Failure::new(key, FailureKind::Misplaced, "its name, namespace or API version holds characters that none may hold")
}

pub(super) fn misplaced(key: &ObjectKey, detail: &str) -> Failure {
    Failure::new(key, FailureKind::Misplaced, detail)
}

/// The kind could not be looked up.
pub(super) fn not_served(key: &ObjectKey, error: &kube::Error) -> Failure {
    match error {
        kube::Error::Api(status) if status.code != 404 => answered(Verb::Get, key, status),
        kube::Error::Api(_) | kube::Error::Discovery(_) => kind_missing(key),
        _ => unavailable(key, error),
    }
}

/// A request failed.
pub(super) fn refused(verb: Verb, key: &ObjectKey, error: &kube::Error) -> Failure {
    match error {
        kube::Error::Api(status) => answered(verb, key, status),
        _ => unavailable(key, error),
    }
}

fn answered(verb: Verb, key: &ObjectKey, status: &Status) -> Failure {
    let details = status.details.as_ref();
    let mut failure = match status.code {
        401 => Failure::new(key, FailureKind::Forbidden, "the API server does not accept the operator's credentials"),
        403 => forbidden(verb, key, status),
        404 => missing(verb, key, status),
        409 => Failure::new(key, FailureKind::Conflict, "it was changed by something else while it was being written"),
        400 | 405 | 413 | 422 => not_taken(key, status),
        429 => Failure::new(key, FailureKind::Unavailable, "the API server is too busy to take it"),
        code => {
            let detail = format!("the API server failed (HTTP {code}){}", said(&status.message));
            Failure::new(key, FailureKind::Unavailable, detail)
        }
    };
    failure.reason.clone_from(&status.reason);
    let seconds = details.map_or(0, |details| details.retry_after_seconds);
    failure.retry_after = (seconds > 0).then(|| Duration::from_secs(seconds.into()));
    failure
}

fn forbidden(verb: Verb, key: &ObjectKey, status: &Status) -> Failure {
    if status.message.contains("because it is being terminated") {
        let namespace = key.namespace.as_deref().unwrap_or_default();
        let detail = format!("its namespace {namespace} is being deleted");
        return Failure::new(key, FailureKind::NamespaceMissing, detail);
    }
    // The authoriser's answer starts so; anything else comes from admission.
    let Some(details) = status.details.as_ref().filter(|_| status.message.contains("cannot ")) else {
        return Failure::new(key, FailureKind::Denied, format!("the cluster denied it{}", said(&status.message)));
    };
    let (group, resource) = (&details.group, &details.kind);
    let group = if group.is_empty() { String::new() } else { format!(".{group}") };
    let place = key.namespace.as_ref().map_or_else(String::new, |namespace| format!(" in namespace {namespace}"));
    let verb = verb.word();
    let detail = format!("the operator's ServiceAccount may not {verb} {resource}{group}{place}; grant it that verb");
    Failure::new(key, FailureKind::Forbidden, detail)
}

fn missing(verb: Verb, key: &ObjectKey, status: &Status) -> Failure {
    let named = status.details.as_ref().map(|details| (details.kind.as_str(), details.name.as_str()));
    match named {
        Some(("namespaces", namespace)) if key.kind != "Namespace" => {
            Failure::new(key, FailureKind::NamespaceMissing, format!("its namespace {namespace} does not exist"))
        }
        Some((_, name)) if !name.is_empty() && verb != Verb::Create => {
            Failure::new(key, FailureKind::Unavailable, "it went while it was being written")
        }
        _ => kind_missing(key),
    }
}

fn kind_missing(key: &ObjectKey) -> Failure {
    let detail = format!("the cluster does not serve {} of {}; install what provides it", key.kind, key.api_version);
    Failure::new(key, FailureKind::KindMissing, detail)
}

/// By validation, or by a policy or webhook that answers in the same way.
fn not_taken(key: &ObjectKey, status: &Status) -> Failure {
    let faults = invalid::faults(status, key.kind == "Secret");
    if !faults.is_empty() {
        let detail = format!("the API server finds it invalid: {}", invalid::list(&faults));
        let fields = faults.into_iter().map(|fault| fault.field).collect();
        return Failure { fields, ..Failure::new(key, FailureKind::Invalid, detail) };
    }
    if invalid::is_unreadable(status) {
        let detail = format!("the API server cannot read it{}", said(&status.message));
        return Failure::new(key, FailureKind::Invalid, detail);
    }
    let cause = status.details.as_ref().and_then(|details| details.causes.first());
    let detail = match cause.filter(|cause| cause.field.is_empty()) {
        Some(cause) => format!("the cluster denied it{}", said(&cause.message)),
        None => format!("the API server refused it{}", said(&status.message)),
    };
    Failure::new(key, FailureKind::Denied, detail)
}

fn unavailable(key: &ObjectKey, error: &kube::Error) -> Failure {
    let detail = match error {
        kube::Error::SerdeError(_) | kube::Error::FromUtf8(_) => "the API server's answer cannot be read",
        kube::Error::Auth(_) => "the operator's credentials cannot be used",
        _ => "the API server cannot be reached, or did not answer in time",
    };
    Failure::new(key, FailureKind::Unavailable, detail)
}

fn said(message: &str) -> String {
    let message = message.trim();
    if message.is_empty() { String::new() } else { format!(": {}", shortened(message, LONGEST)) }
}

/// On one line, and of this many characters at most; it ends with a whole word.
pub(super) fn shortened(text: &str, longest: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        let between = if line.is_empty() { "" } else { " " };
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > longest {
            return format!("{line} …");
        }
        line = format!("{line}{between}{word}");
    }
    if line.chars().count() <= longest { line } else { line.chars().take(longest).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(verb: Verb, status: serde_json::Value) -> (FailureKind, String) {
        let status: Status = serde_json::from_value(status).unwrap();
        let key = ObjectKey::namespaced("apps/v1", "DaemonSet", "meadow", "sheep");
        let failure = refused(verb, &key, &kube::Error::Api(status.boxed()));
        (failure.kind, failure.message.to_string())
    }

    #[test]
    fn each_answer_is_told_in_plain_words() {
        let details = json!({"name": "sheep", "group": "apps", "kind": "daemonsets"});
        let table = [
            (
                Verb::Update,
                json!({"code": 403, "reason": "Forbidden", "details": details,
                "message": "daemonsets.apps \"sheep\" is forbidden: User \"o\" cannot update resource"}),
                FailureKind::Forbidden,
                "may not update daemonsets.apps in namespace meadow",
            ),
            (
                Verb::Create,
                json!({"code": 403, "reason": "Forbidden", "message": "admission webhook \"w\" denied it: no"}),
                FailureKind::Denied,
                "admission webhook \"w\" denied it: no",
            ),
            (
                Verb::Create,
                json!({"code": 404, "reason": "NotFound", "details": {"kind": "namespaces", "name": "meadow"}}),
                FailureKind::NamespaceMissing,
                "its namespace meadow does not exist",
            ),
            (
                Verb::Get,
                json!({"code": 404, "reason": "NotFound", "message": "the server could not find the resource"}),
                FailureKind::KindMissing,
                "does not serve DaemonSet of apps/v1",
            ),
            (
                Verb::Update,
                json!({"code": 422, "reason": "Invalid", "message": "x", "details": {"causes": [
                {"field": "spec.a", "message": "Invalid value: \"long\": must be short"}]}}),
                FailureKind::Invalid,
                "spec.a: Invalid value: \"long\": must be short",
            ),
            (
                Verb::Create,
                json!({"code": 400, "reason": "BadRequest", "message":
                "DaemonSet in version \"v1\" cannot be handled as a DaemonSet: it is not a number"}),
                FailureKind::Invalid,
                "cannot read it: DaemonSet in version",
            ),
            (
                Verb::Create,
                json!({"code": 422, "reason": "Invalid", "message": "x is forbidden: policy 'p' denied request: no wool",
                "details": {"causes": [{"message": "policy 'p' denied request: no wool"}]}}),
                FailureKind::Denied,
                "the cluster denied it: policy 'p' denied request: no wool",
            ),
            (
                Verb::Update,
                json!({"code": 500, "message": "etcdserver: no leader"}),
                FailureKind::Unavailable,
                "the API server failed (HTTP 500): etcdserver: no leader",
            ),
        ];
        for (verb, status, kind, text) in table {
            let (got, said) = message(verb, status.clone());
            assert_eq!(got, kind, "{status}");
            assert!(said.contains(text) && said.starts_with("DaemonSet meadow/sheep: "), "{said}");
            let code = if kind == FailureKind::Invalid { "(CHM0405)" } else { "(CHM0401)" };
            assert!(said.ends_with(code), "{said}");
        }
    }

    #[test]
    fn a_long_answer_ends_with_a_whole_word() {
        assert_eq!(shortened("a sheep  on\na meadow", 11), "a sheep on …");
        assert_eq!(shortened("a sheep", 7), "a sheep");
    }
}
