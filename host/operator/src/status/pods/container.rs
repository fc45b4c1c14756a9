//! What is wrong with one of a pod's containers.

use chimera_core::codes;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Container, ContainerStateTerminated, ContainerStateWaiting, ContainerStatus, Pod};

use super::problem::{Told, is_long, said};

/// Reasons of a container that waits for its image and does not get it.
const IMAGE: [&str; 6] = [
    "ErrImagePull",
    "ImagePullBackOff",
    "ErrImageNeverPull",
    "InvalidImageName",
    "ImageInspectError",
    "RegistryUnavailable",
];
/// Other reasons that do not pass by themselves.
const STUCK: [&str; 5] = [
    "CreateContainerConfigError",
    "CreateContainerError",
    "RunContainerError",
    "PreStartHookError",
    "PostStartHookError",
];
/// The kernel killed it for its memory.
const OUT_OF_MEMORY: &str = "OOMKilled";

/// The first container with a fault, those that prepare the pod first.
pub(super) fn problem(pod: &Pod, now: Timestamp) -> Option<Told> {
    let (spec, status) = (pod.spec.as_ref(), pod.status.as_ref()?);
    let preparing = spec.and_then(|spec| spec.init_containers.as_deref()).unwrap_or_default();
    let running = spec.map(|spec| spec.containers.as_slice()).unwrap_or_default();
    let started = status.start_time.as_ref().or(pod.metadata.creation_timestamp.as_ref());
    let is_old = is_long(started, now);
    let look = |specs: &[Container], status: &ContainerStatus, prepares: bool| {
        let spec = specs.iter().find(|container| container.name == status.name);
        Look { spec, status, prepares, is_old, now }.problem()
    };
    let of = |statuses: &Option<Vec<ContainerStatus>>, specs: &[Container], prepares: bool| {
        statuses.iter().flatten().find_map(|status| look(specs, status, prepares))
    };
    of(&status.init_container_statuses, preparing, true).or_else(|| of(&status.container_statuses, running, false))
}

/// One container.
struct Look<'a> {
    spec: Option<&'a Container>,
    status: &'a ContainerStatus,
    prepares: bool,
    /// The pod is there for longer than its start should take.
    is_old: bool,
    now: Timestamp,
}

impl Look<'_> {
    fn problem(&self) -> Option<Told> {
        let state = self.status.state.as_ref()?;
        let last = self.status.last_state.as_ref().and_then(|last| last.terminated.as_ref());
        if let Some(waiting) = &state.waiting {
            return self.waits(waiting, last);
        }
        if let Some(ended) = state.terminated.as_ref().filter(|ended| ended.exit_code != 0) {
            return Some(self.ended(ended, "ended"));
        }
        let running = state.running.as_ref().filter(|_| !self.is_done())?;
        is_long(running.started_at.as_ref(), self.now).then(|| self.lasts(last))
    }

    fn waits(&self, waiting: &ContainerStateWaiting, last: Option<&ContainerStateTerminated>) -> Option<Told> {
        let (reason, message) = (waiting.reason.as_deref().unwrap_or_default(), waiting.message.as_deref());
        if IMAGE.contains(&reason) {
            let text = format!("{} cannot get its image {}: {reason}{}", self.name(), self.image(), said(message));
            return Some((&codes::IMAGE_MISSING, text));
        }
        match (reason, last) {
            ("CrashLoopBackOff", Some(last)) => {
                Some(self.ended(last, "crashes again and again (CrashLoopBackOff) and last ended"))
            }
            ("CrashLoopBackOff", None) => {
                Some((&codes::POD_CRASHING, format!("{} crashes again and again (CrashLoopBackOff)", self.subject())))
            }
            _ if STUCK.contains(&reason) => {
                Some((&codes::POD_FAILING, format!("{} cannot start: {reason}{}", self.subject(), said(message))))
            }
            // The containers proper wait for those that prepare the pod, which have been looked at.
            ("PodInitializing", _) => None,
            _ if self.is_old => {
                let text = format!(
                    "{} does not come to its start: {reason}; a volume, Secret or ConfigMap may be missing",
                    self.subject()
                );
                Some((&codes::POD_FAILING, text))
            }
            _ => None,
        }
    }

    fn ended(&self, ended: &ContainerStateTerminated, how: &str) -> Told {
        if ended.reason.as_deref() == Some(OUT_OF_MEMORY) {
            return (
                &codes::POD_OUT_OF_MEMORY,
                format!("{} {how} for want of memory (OOMKilled){}", self.subject(), self.limit()),
            );
        }
        let reason = ended.reason.as_deref().filter(|reason| *reason != "Error").map(|reason| format!(" ({reason})"));
        let text = format!(
            "{} {how} with exit code {}{}{}",
            self.subject(),
            ended.exit_code,
            reason.unwrap_or_default(),
            said(ended.message.as_deref())
        );
        (&codes::POD_CRASHING, text)
    }

    /// It runs for long, and is neither ready nor done.
    fn lasts(&self, last: Option<&ContainerStateTerminated>) -> Told {
        if last.is_some_and(|last| last.reason.as_deref() == Some(OUT_OF_MEMORY)) {
            let text = format!(
                "{} was killed for want of memory (OOMKilled) and is not ready{}",
                self.subject(),
                self.limit()
            );
            return (&codes::POD_OUT_OF_MEMORY, text);
        }
        let what = if self.prepares {
            "runs and does not come to its end"
        } else {
            "runs but does not pass its readiness probe"
        };
        (&codes::POD_NOT_READY, format!("{} {what}", self.subject()))
    }

    fn is_done(&self) -> bool {
        // One that prepares and goes on running beside the others has started.
        self.status.ready || (self.prepares && self.status.started == Some(true))
    }

    fn limit(&self) -> String {
        let limits = self.spec.and_then(|spec| spec.resources.as_ref()?.limits.as_ref());
        match limits.and_then(|limits| limits.get("memory")) {
            Some(limit) => format!("; its limit is {}", limit.0),
            None => "; it has no limit of its own, so its node is short of memory".into(),
        }
    }

    fn name(&self) -> String {
        let kind = if self.prepares { "init container" } else { "container" };
        format!("{kind} {}", self.status.name)
    }

    fn subject(&self) -> String {
        format!("{} of image {}", self.name(), self.image())
    }

    /// As the workload asks for it; what a kubelet reports may be a digest.
    fn image(&self) -> &str {
        self.spec.and_then(|spec| spec.image.as_deref()).unwrap_or(&self.status.image)
    }
}
