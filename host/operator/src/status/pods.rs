//! Why a rollout does not come to its end: what the pods themselves say.

use chimera_core::codes;
use chimera_core::message::Message;
use chimera_core::object::ObjectKey;
use k8s_openapi::api::core::v1::{ContainerStatus, Pod};
use kube::api::ListParams;
use kube::{Api, Client};

/// Reasons of a waiting container that do not pass by themselves.
const STUCK: [&str; 9] = [
    "CrashLoopBackOff",
    "ImagePullBackOff",
    "ErrImagePull",
    "ErrImageNeverPull",
    "InvalidImageName",
    "CreateContainerConfigError",
    "CreateContainerError",
    "RunContainerError",
    "PreStartHookError",
];

/// Pods are read in pages of so many, so that those of a thousand nodes are never in memory at once.
const PAGE: u32 = 50;
/// More failing pods than these say nothing new.
const ENOUGH: usize = 20;

/// Pods of one workload that fail, one message a pod, the first ones of many.
///
/// # Errors
/// If the pods cannot be listed.
pub async fn failing(client: &Client, workload: &ObjectKey, selector: &str) -> Result<Vec<Message>, kube::Error> {
    let namespace = workload.namespace.as_deref().unwrap_or_default();
    let pods: Api<Pod> = Api::namespaced(client.clone(), namespace);
    let (mut problems, mut params) = (Vec::new(), ListParams::default().labels(selector).limit(PAGE));
    loop {
        let list = pods.list(&params).await?;
        problems.extend(list.items.iter().filter_map(|pod| problem(pod, workload)));
        match list.metadata.continue_.filter(|next| !next.is_empty()) {
            Some(next) if problems.len() < ENOUGH => params = params.continue_token(&next),
            _ => return Ok(problems),
        }
    }
}

fn problem(pod: &Pod, workload: &ObjectKey) -> Option<Message> {
    let name = pod.metadata.name.as_deref().unwrap_or_default();
    let text = stuck_container(pod).or_else(|| unschedulable(pod))?;
    let namespace = workload.namespace.as_deref().unwrap_or_default();
    Some(Message::new(&codes::POD_FAILING, format!("{text} (pod of {workload})")).on(format!("Pod {namespace}/{name}")))
}

fn stuck_container(pod: &Pod) -> Option<String> {
    let status = pod.status.as_ref()?;
    let containers = [&status.init_container_statuses, &status.container_statuses].into_iter().flatten().flatten();
    containers.into_iter().find_map(container_problem)
}

fn container_problem(container: &ContainerStatus) -> Option<String> {
    let waiting = container.state.as_ref()?.waiting.as_ref()?;
    let reason = waiting.reason.as_deref().filter(|reason| STUCK.contains(reason))?;
    Some(format!(
        "container {} of image {} waits with {reason} after {} restarts",
        container.name, container.image, container.restart_count
    ))
}

fn unschedulable(pod: &Pod) -> Option<String> {
    let conditions = pod.status.as_ref()?.conditions.as_ref()?;
    let scheduled =
        conditions.iter().find(|condition| condition.type_ == "PodScheduled" && condition.status == "False")?;
    let message = scheduled.message.as_deref().unwrap_or("no node takes it");
    Some(format!("cannot be scheduled: {}", message.trim_end_matches('.')))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn workload() -> ObjectKey {
        ObjectKey::namespaced("apps/v1", "DaemonSet", "meadow", "sheep")
    }

    #[test]
    fn a_crash_loop_names_pod_container_image_and_reason() {
        let pod: Pod =
            serde_json::from_value(json!({"metadata": {"name": "sheep-1"}, "status": {"containerStatuses": [
            {"name": "wool", "image": "farm/wool:1", "imageID": "", "ready": false, "restartCount": 4,
             "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]}}))
            .unwrap();
        let message = problem(&pod, &workload()).unwrap().to_string();
        let start =
            "Pod meadow/sheep-1: container wool of image farm/wool:1 waits with CrashLoopBackOff after 4 restarts";
        assert!(message.starts_with(start), "{message}");
    }

    #[test]
    fn a_pod_that_is_being_made_is_no_problem() {
        let pod: Pod =
            serde_json::from_value(json!({"metadata": {"name": "sheep-1"}, "status": {"containerStatuses": [
            {"name": "wool", "image": "farm/wool:1", "imageID": "", "ready": false, "restartCount": 0,
             "state": {"waiting": {"reason": "ContainerCreating"}}}]}}))
            .unwrap();
        assert_eq!(problem(&pod, &workload()), None);
    }
}
