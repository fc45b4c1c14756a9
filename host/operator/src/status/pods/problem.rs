//! What is wrong with one pod.

use std::time::Duration;

use chimera_core::codes::{self, Code};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Pod, PodCondition, PodStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::container;

/// What takes longer than this, although nothing has failed, is told: a start, a readiness probe, an end.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

/// One pod and what is wrong with it. The text holds nothing that differs between pods with the same fault, nor anything
/// that changes while the fault lasts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) pod: String,
    pub(super) code: &'static Code,
    pub(super) text: String,
}

/// A code and what there is to say.
pub(super) type Told = (&'static Code, String);

/// What is wrong, if anything is. The first fault in the order in which a pod comes up.
pub(super) fn problem(pod: &Pod, now: Timestamp) -> Option<Problem> {
    let status = pod.status.as_ref()?;
    let (code, text) = leaving(pod, now)
        .or_else(|| failed(status))
        .or_else(|| unscheduled(status))
        .or_else(|| container::problem(pod, now))
        .or_else(|| unready(status, now))?;
    Some(Problem { pod: pod.metadata.name.clone().unwrap_or_default(), code, text })
}

/// The deletion time stamp is the moment at which the pod has to be gone.
fn leaving(pod: &Pod, now: Timestamp) -> Option<Told> {
    let due = pod.metadata.deletion_timestamp.as_ref()?;
    let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref()).unwrap_or("its node");
    let text = format!("it does not end; {node} may be down");
    is_long(Some(due), now).then_some((&codes::POD_FAILING, text))
}

fn failed(status: &PodStatus) -> Option<Told> {
    let reason = status.reason.as_deref().filter(|_| status.phase.as_deref() == Some("Failed"))?;
    let text = format!("it has failed: {reason}{}", said(status.message.as_deref()));
    Some((&codes::POD_FAILING, text))
}

fn unscheduled(status: &PodStatus) -> Option<Told> {
    let scheduled = condition(status, "PodScheduled").filter(|condition| condition.status == "False")?;
    let message = scheduled.message.as_deref().unwrap_or_default();
    // What follows is about whom it could displace.
    let message = message.split(" preemption:").next().unwrap_or_default();
    let message = message.trim_end_matches("no new claims to deallocate,").trim_end_matches([',', ' ']);
    Some((&codes::POD_UNSCHEDULABLE, format!("no node takes it{}", said(Some(message)))))
}

/// Every container is ready, so something else says that the pod is not.
fn unready(status: &PodStatus, now: Timestamp) -> Option<Told> {
    let ready = condition(status, "Ready").filter(|condition| condition.status == "False")?;
    let text = format!("it is not ready although its containers are{}", said(ready.message.as_deref()));
    is_long(ready.last_transition_time.as_ref(), now).then_some((&codes::POD_NOT_READY, text))
}

pub(super) fn condition<'a>(status: &'a PodStatus, kind: &str) -> Option<&'a PodCondition> {
    status.conditions.iter().flatten().find(|condition| condition.type_ == kind)
}

/// Whether something lasts for longer than is to be expected.
pub(super) fn is_long(since: Option<&Time>, now: Timestamp) -> bool {
    since.is_some_and(|since| now.duration_since(since.0).unsigned_abs() > PATIENCE && now > since.0)
}

/// Longest text of Kubernetes that a message repeats, in characters.
const LONGEST: usize = 300;

/// What Kubernetes says of it, in one line, after a colon.
pub(super) fn said(message: Option<&str>) -> String {
    let line = message.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_end_matches('.');
    match line.char_indices().nth(LONGEST) {
        _ if line.is_empty() => String::new(),
        Some((end, _)) => format!(": {}…", line.get(..end).unwrap_or_default()),
        None => format!(": {line}"),
    }
}

#[cfg(test)]
mod tests;
