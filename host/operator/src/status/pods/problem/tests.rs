use serde_json::{Value, json};

use super::*;

const NOW: &str = "2026-01-01T12:00:00Z";

/// A pod of one container and one that prepares it, with this status.
fn found(status: Value) -> Option<(&'static str, String)> {
    let containers = json!([{"name": "wool", "image": "farm/wool:1", "resources": {"limits": {"memory": "64Mi"}}}]);
    let pod = json!({"metadata": {"name": "sheep-1", "creationTimestamp": "2026-01-01T11:00:00Z"},
        "spec": {"nodeName": "meadow", "containers": containers, "initContainers": [{"name": "shears", "image": "farm/shears:1"}]},
        "status": status});
    let problem = problem(&serde_json::from_value(pod).unwrap(), NOW.parse().unwrap())?;
    assert_eq!(problem.pod, "sheep-1");
    Some((problem.code.id, problem.text))
}

fn container(name: &str, fields: Value) -> Value {
    let mut status = json!({"name": name, "image": "sha256:1", "imageID": "", "ready": false, "restartCount": 4});
    status.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    status
}

fn waits(reason: &str, message: &str) -> Value {
    json!({"containerStatuses": [container("wool", json!({"state": {"waiting": {"reason": reason, "message": message}}}))]})
}

#[test]
fn each_fault_is_told_with_container_image_reason_and_what_kubernetes_says() {
    let running = json!({"running": {"startedAt": "2026-01-01T11:30:00Z"}});
    let oom = json!({"terminated": {"exitCode": 137, "reason": "OOMKilled"}});
    let table = [
        (
            waits("ImagePullBackOff", "Back-off pulling image \"farm/wool:1\"."),
            "CHM0503",
            "container wool cannot get its image farm/wool:1: ImagePullBackOff: Back-off pulling image \"farm/wool:1\"",
        ),
        (waits("InvalidImageName", ""), "CHM0503", "container wool cannot get its image farm/wool:1: InvalidImageName"),
        (
            waits("CreateContainerConfigError", "secret \"hay\" not found"),
            "CHM0502",
            "container wool of image farm/wool:1 cannot start: CreateContainerConfigError: secret \"hay\" not found",
        ),
        (
            waits("CrashLoopBackOff", "back-off 5m0s"),
            "CHM0504",
            "container wool of image farm/wool:1 crashes again and again (CrashLoopBackOff)",
        ),
        (
            waits("ContainerCreating", ""),
            "CHM0502",
            "container wool of image farm/wool:1 does not come to its start: ContainerCreating; a volume, Secret or ConfigMap may be missing",
        ),
        (
            json!({"containerStatuses": [container("wool", json!({"state": {"waiting": {"reason": "CrashLoopBackOff"}},
            "lastState": {"terminated": {"exitCode": 2, "reason": "Error"}}}))]}),
            "CHM0504",
            "container wool of image farm/wool:1 crashes again and again (CrashLoopBackOff) and last ended with exit code 2",
        ),
        (
            json!({"containerStatuses": [container("wool", json!({"state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": oom}))]}),
            "CHM0505",
            "container wool of image farm/wool:1 crashes again and again (CrashLoopBackOff) and last ended for want of memory (OOMKilled); its limit is 64Mi",
        ),
        (
            json!({"containerStatuses": [container("wool", json!({"state": oom}))]}),
            "CHM0505",
            "container wool of image farm/wool:1 ended for want of memory (OOMKilled); its limit is 64Mi",
        ),
        (
            json!({"initContainerStatuses": [container("shears", json!({"state": {"terminated": {"exitCode": 1, "reason": "Error"}}}))],
            "containerStatuses": [container("wool", json!({"state": {"waiting": {"reason": "PodInitializing"}}}))]}),
            "CHM0504",
            "init container shears of image farm/shears:1 ended with exit code 1",
        ),
        (
            json!({"initContainerStatuses": [container("shears", json!({"state": running}))]}),
            "CHM0507",
            "init container shears of image farm/shears:1 runs and does not come to its end",
        ),
        (
            json!({"containerStatuses": [container("wool", json!({"state": running}))]}),
            "CHM0507",
            "container wool of image farm/wool:1 runs but does not pass its readiness probe",
        ),
        (
            json!({"containerStatuses": [container("wool", json!({"state": running, "ready": true}))],
            "conditions": [{"type": "Ready", "status": "False", "message": "the gate is shut", "lastTransitionTime": "2026-01-01T11:00:00Z"}]}),
            "CHM0507",
            "it is not ready although its containers are: the gate is shut",
        ),
        (
            json!({"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
            "message": "0/3 nodes are available: 3 node(s) had untolerated taint(s). preemption: 0/3 nodes are available."}]}),
            "CHM0506",
            "no node takes it: 0/3 nodes are available: 3 node(s) had untolerated taint(s)",
        ),
        (
            json!({"phase": "Failed", "reason": "Evicted", "message": "The node was low on resource: memory."}),
            "CHM0502",
            "it has failed: Evicted: The node was low on resource: memory",
        ),
    ];
    for (status, code, text) in table {
        assert_eq!(found(status.clone()), Some((code, text.to_owned())), "{status}");
    }
}

#[test]
fn what_may_still_come_right_is_no_fault() {
    let running = json!({"running": {"startedAt": "2026-01-01T11:59:00Z"}});
    let done = json!({"terminated": {"exitCode": 0, "reason": "Completed"}});
    for status in [
        json!({}),
        json!({"startTime": "2026-01-01T11:59:00Z", "containerStatuses":
            [container("wool", json!({"state": {"waiting": {"reason": "ContainerCreating"}}}))]}),
        json!({"containerStatuses": [container("wool", json!({"state": running}))]}),
        json!({"initContainerStatuses": [container("shears", json!({"state": done, "ready": true}))],
            "containerStatuses": [container("wool", json!({"state": running, "ready": true}))]}),
        json!({"initContainerStatuses": [container("shears", json!({"started": true,
            "state": {"running": {"startedAt": "2026-01-01T11:00:00Z"}}}))]}),
    ] {
        assert_eq!(found(status.clone()), None, "{status}");
    }
}

#[test]
fn a_pod_that_does_not_end_is_told_with_its_node() {
    let pod = |due: &str| json!({"metadata": {"name": "sheep-1", "deletionTimestamp": due}, "spec": {"nodeName": "meadow", "containers": []}, "status": {}});
    let found = |due: &str| problem(&serde_json::from_value(pod(due)).unwrap(), NOW.parse().unwrap());
    assert_eq!(found("2026-01-01T11:00:00Z").unwrap().text, "it does not end; meadow may be down");
    assert_eq!(found("2026-01-01T11:59:30Z"), None);
    assert_eq!(found("2026-01-01T12:30:00Z"), None);
}

#[test]
fn long_words_of_kubernetes_are_cut_between_characters() {
    let text = said(Some(&"ü".repeat(LONGEST + 1)));
    assert_eq!(text.chars().count(), LONGEST + 3);
    assert_eq!(said(Some(" ")), "");
}
