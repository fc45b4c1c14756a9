//! The mark by which operators of different namespaces tell which of them serves the cluster.
//!
//! The lease keeps operators of one namespace apart. One in another namespace has a lease of its own; what tells of it
//! is a ConfigMap beside the workloads, which each operator writes when it begins to serve. The Go operator keeps to it
//! as well.

use std::time::Duration;

use chimera_core::codes;
use chimera_core::message::Message;
use chimera_core::names::{ACTIVE_OPERATOR, ACTIVE_OPERATOR_KEY, CALICO_SYSTEM};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, Client};
use tokio::time::sleep;
use tracing::{info, warn};

use crate::vitals::{Stage, Vitals};

/// Time between two looks while another operator serves.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Waits as long as an operator of another namespace is said to serve the cluster.
pub async fn wait(client: &Client, namespace: &str, vitals: &Vitals) {
    let api: Api<ConfigMap> = Api::namespaced(client.clone(), CALICO_SYSTEM);
    let mut waiting = false;
    loop {
        match api.get_opt(ACTIVE_OPERATOR).await {
            Ok(mark) => match other(mark.as_ref(), namespace) {
                None if waiting => return info!("no other operator serves this cluster any more"),
                None => return,
                Some(other) if !waiting => {
                    waiting = true;
                    tell(&other);
                    vitals.enter(Stage::OtherOperator(other));
                }
                Some(_) => {}
            },
            Err(error) => warn!(
                error = crate::client::reason(&error, "get"),
                "failed to look which operator serves this cluster; trying again"
            ),
        }
        sleep(LOOK_EVERY).await;
    }
}

/// The namespace of the operator that serves the cluster, if it is another one.
fn other(mark: Option<&ConfigMap>, namespace: &str) -> Option<String> {
    let named = mark?.data.as_ref()?.get(ACTIVE_OPERATOR_KEY)?;
    let ours = named.is_empty() || named == namespace;
    (!ours).then(|| named.clone())
}

fn tell(other: &str) {
    let detail = format!("it names the operator in namespace {other}, so this one waits");
    let mark = format!("ConfigMap {CALICO_SYSTEM}/{ACTIVE_OPERATOR}");
    let message = Message::new(&codes::OTHER_OPERATOR, detail).on(mark).field(format!("data.{ACTIVE_OPERATOR_KEY}"));
    warn!(code = codes::OTHER_OPERATOR.id, "{message}");
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn only_a_mark_that_names_another_namespace_is_waited_for() {
        let mark = |namespace: &str| ConfigMap {
            data: Some(BTreeMap::from([(ACTIVE_OPERATOR_KEY.to_owned(), namespace.to_owned())])),
            ..ConfigMap::default()
        };
        assert_eq!(other(None, "barn"), None);
        assert_eq!(other(Some(&ConfigMap::default()), "barn"), None);
        assert_eq!(other(Some(&mark("barn")), "barn"), None);
        assert_eq!(other(Some(&mark("")), "barn"), None);
        assert_eq!(other(Some(&mark("meadow")), "barn"), Some("meadow".to_owned()));
    }
}
