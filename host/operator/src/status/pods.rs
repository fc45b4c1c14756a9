//! Why a rollout does not come to its end: what the pods themselves say.

mod container;
mod lean;
mod problem;

use std::collections::BTreeMap;

use chimera_core::message::Message;
use chimera_core::object::ObjectKey;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{ListParams, ObjectList};
use kube::core::Request;
use kube::{Client, Resource as _};

use lean::Lean;
use problem::{Problem, problem};

/// Pods are read in pages of so many, so that those of a thousand nodes are never in memory at once.
const PAGE: u32 = 50;
/// More failing pods than these say nothing new.
const ENOUGH: usize = 100;

/// What fails about the pods of one workload: a message a cause, which names the first pod and counts the others.
///
/// # Errors
/// If the pods cannot be listed.
pub async fn failing(
    client: &Client,
    workload: &ObjectKey,
    selector: &str,
    now: Timestamp,
) -> Result<Vec<Message>, kube::Error> {
    let namespace = workload.namespace.as_deref().unwrap_or_default();
    let (mut problems, mut params) = (Vec::new(), ListParams::default().labels(selector).limit(PAGE));
    loop {
        let list = page(client, namespace, &params).await?;
        problems.extend(list.items.into_iter().filter_map(|pod| problem(&pod.into(), now)));
        match list.metadata.continue_.filter(|next| !next.is_empty()) {
            Some(next) if problems.len() < ENOUGH => params = params.continue_token(&next),
            _ => return Ok(messages(workload, problems)),
        }
    }
}

async fn page(client: &Client, namespace: &str, params: &ListParams) -> Result<ObjectList<Lean>, kube::Error> {
    let pods = Request::new(Pod::url_path(&(), Some(namespace)));
    let request = pods.list(params).map_err(kube::Error::BuildRequest)?;
    client.request(request).await
}

/// One message a cause, since a bad image is one fault, on however many nodes.
fn messages(workload: &ObjectKey, problems: Vec<Problem>) -> Vec<Message> {
    let mut causes: Vec<(Problem, usize)> = Vec::new();
    let mut seen = BTreeMap::new();
    for problem in problems {
        let at = *seen.entry((problem.code.id, problem.text.clone())).or_insert(causes.len());
        match causes.get_mut(at) {
            Some((_, others)) => *others += 1,
            None => causes.push((problem, 0)),
        }
    }
    causes.into_iter().map(|(problem, others)| message(workload, problem, others)).collect()
}

fn message(workload: &ObjectKey, Problem { pod, code, text }: Problem, others: usize) -> Message {
    let namespace = workload.namespace.as_deref().unwrap_or_default();
    let others = match others {
        0 => String::new(),
        1 => ", and so with 1 other pod of it".to_owned(),
        _ => format!(", and so with {others} other pods of it"),
    };
    Message::new(code, format!("{text} (pod of {workload}{others})")).on(format!("Pod {namespace}/{pod}"))
}

#[cfg(test)]
mod tests {
    use chimera_core::codes;

    use super::*;

    #[test]
    fn one_cause_on_many_nodes_is_one_message_that_counts_them() {
        let workload = ObjectKey::namespaced("apps/v1", "DaemonSet", "meadow", "sheep");
        let problem =
            |pod: &str, text: &str| Problem { pod: pod.into(), code: &codes::IMAGE_MISSING, text: text.into() };
        let problems =
            vec![problem("a", "no wool"), problem("b", "no hay"), problem("c", "no wool"), problem("d", "no wool")];
        let texts: Vec<_> = messages(&workload, problems).iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), 2, "{texts:?}");
        let start = "Pod meadow/a: no wool (pod of DaemonSet meadow/sheep, and so with 2 other pods of it). ";
        assert!(texts[0].starts_with(start), "{texts:?}");
        assert!(texts[1].starts_with("Pod meadow/b: no hay (pod of DaemonSet meadow/sheep). "), "{texts:?}");
    }
}
