//! What the audit log of kube-apiserver tells: who did what.

use std::ops::Deref;
use std::path::Path;

use anyhow::{Context, Result};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use serde::Deserialize;

use crate::backends;

/// One request, as it was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEvent {
    /// Name of the user, the impersonated one if there is one.
    pub user: String,
    /// Whose request it was that Calico's API server passed on, as a user of its own; empty for all other requests.
    pub passed_on_for: String,
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or `deletecollection`; in lower case the HTTP method
    /// of a request that is not for a resource.
    pub verb: String,
    /// API group, empty for the core group.
    pub api_group: String,
    /// Plural name of the resource, empty if the request is not for one.
    pub resource: String,
    /// Subresource, such as `status`; often empty.
    pub subresource: String,
    /// Namespace, empty for cluster-scoped resources.
    pub namespace: String,
    /// Name, empty where the request names no object.
    pub name: String,
    /// HTTP status of the answer.
    pub code: u16,
    /// What the client says it is.
    pub user_agent: String,
    /// When the request came in.
    pub timestamp: MicroTime,
    /// Whether it was a trial that stores nothing.
    pub dry_run: bool,
    /// Path and query.
    pub uri: String,
}

impl AuditEvent {
    /// Whether it was meant to change what is stored: a create, update, patch or delete, refused ones included. Not
    /// trials, not Leases, nor what is created only to be answered (access reviews, tokens).
    pub fn is_write(&self) -> bool {
        let verb = ["create", "update", "patch", "delete", "deletecollection"].contains(&self.verb.as_str());
        let answered = ["authentication.k8s.io", "authorization.k8s.io"].contains(&self.api_group.as_str())
            || self.subresource == "token";
        verb && !self.resource.is_empty() && self.resource != "leases" && !answered && !self.dry_run
    }

    /// Whether it was a get or a list (watches go on for ever and are not counted).
    pub fn is_read(&self) -> bool {
        ["get", "list"].contains(&self.verb.as_str()) && !self.resource.is_empty() && self.resource != "leases"
    }
}

/// The requests in the order in which they were answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditLog(Vec<AuditEvent>);

impl AuditLog {
    /// What a user wrote, see [`AuditEvent::is_write`].
    pub fn writes_by(&self, user: &str) -> Self {
        self.filter(|event| event.user == user && event.is_write())
    }

    /// What a user read, see [`AuditEvent::is_read`].
    pub fn reads_by(&self, user: &str) -> Self {
        self.filter(|event| event.user == user && event.is_read())
    }

    /// What was written for a user, by it or through Calico's API server, which counts as a write of that one.
    pub fn writes_for(&self, user: &str) -> Self {
        self.filter(|event| (event.user == user || event.passed_on_for == user) && event.is_write())
    }

    /// What came in after a moment.
    pub fn after(&self, moment: &MicroTime) -> Self {
        self.filter(|event| event.timestamp > *moment)
    }

    /// Those that a predicate picks.
    pub fn filter(&self, pick: impl Fn(&AuditEvent) -> bool) -> Self {
        Self(self.0.iter().filter(|event| pick(event)).cloned().collect())
    }

    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("failed to read {}", path.display()))?;
        // The server may be in the middle of the last line.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        whole.lines().map(event).collect::<Result<_>>().map(Self)
    }
}

impl Deref for AuditLog {
    type Target = [AuditEvent];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl IntoIterator for AuditLog {
    type Item = AuditEvent;
    type IntoIter = std::vec::IntoIter<AuditEvent>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

fn event(line: &str) -> Result<AuditEvent> {
    let line: Line = serde_json::from_str(line).with_context(|| format!("failed to read the audit log line {line}"))?;
    let object = line.object_ref.unwrap_or_default();
    let impersonated = line.impersonated_user.map(|user| user.username);
    let passed_on = line.user.username == backends::USER;
    let (user, passed_on_for) = match impersonated {
        Some(impersonated) if passed_on => (line.user.username, impersonated),
        Some(impersonated) => (impersonated, String::new()),
        None => (line.user.username, String::new()),
    };
    Ok(AuditEvent {
        user,
        passed_on_for,
        verb: line.verb,
        api_group: object.api_group,
        resource: object.resource,
        subresource: object.subresource,
        namespace: object.namespace,
        name: object.name,
        code: line.response_status.map_or(0, |status| status.code),
        user_agent: line.user_agent,
        timestamp: line.request_received_timestamp,
        dry_run: line.request_uri.split_once('?').is_some_and(|(_, query)| query.contains("dryRun=All")),
        uri: line.request_uri,
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    user: User,
    impersonated_user: Option<User>,
    verb: String,
    #[serde(rename = "requestURI")]
    request_uri: String,
    #[serde(default)]
    user_agent: String,
    object_ref: Option<ObjectRef>,
    response_status: Option<ResponseStatus>,
    request_received_timestamp: MicroTime,
}

#[derive(Deserialize)]
struct User {
    #[serde(default)]
    username: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ObjectRef {
    api_group: String,
    resource: String,
    subresource: String,
    namespace: String,
    name: String,
}

#[derive(Deserialize)]
struct ResponseStatus {
    #[serde(default)]
    code: u16,
}
