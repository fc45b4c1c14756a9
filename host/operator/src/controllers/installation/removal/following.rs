//! What other resources run on the network of an Installation. It goes with the Installation, though their resources stay:
//! they are served again by the next one.

use chimera_core::message::Message;
use chimera_core::names::{API_SERVER, API_SERVICE, CALICO_SYSTEM, GOLDMANE, GUARDIAN, WEBHOOKS, WHISKER};
use chimera_core::object::ObjectKey;
use serde_json::Value;

use super::super::dereference::failed;
use crate::apply::live::{Known, LiveVersions as _};
use crate::context::Context;
use crate::controllers::subject::API_VERSION;

/// Deployments, by the name that their pods carry as well.
pub(super) const WORKLOADS: [&str; 5] = [API_SERVER, WEBHOOKS, GOLDMANE, WHISKER, GUARDIAN];

/// Deletes it; tells what is still there.
pub(super) async fn take_down(context: &Context) -> Result<Vec<String>, Message> {
    let mut left = Vec::new();
    for (key, plural) in asked().into_iter().chain(workloads()) {
        if context.versions.version(&key) == Known::Absent {
            continue;
        }
        let live = context.reader.get(&key, plural).await.map_err(failed)?;
        let Some(owner) = live.as_ref().and_then(|live| owner(live)) else { continue };
        if context.applier.take_down(&key, owner).await.map_err(|failure| failure.message)? {
            left.push(key.to_string());
        }
    }
    Ok(left)
}

/// By these Kubernetes asks pods when it deletes: it could not empty the namespace any more once nobody answers.
fn asked() -> [(ObjectKey, &'static str); 2] {
    let hooks = ("ValidatingWebhookConfiguration", "validatingwebhookconfigurations");
    [
        (ObjectKey::cluster("apiregistration.k8s.io/v1", "APIService", API_SERVICE), "apiservices"),
        (ObjectKey::cluster("admissionregistration.k8s.io/v1", hooks.0, "api.projectcalico.org"), hooks.1),
    ]
}

fn workloads() -> impl Iterator<Item = (ObjectKey, &'static str)> {
    let key = |name| ObjectKey::namespaced("apps/v1", "Deployment", CALICO_SYSTEM, name);
    WORKLOADS.into_iter().map(move |name| (key(name), "deployments"))
}

/// Uid of the resource of the operator's that owns an object; none if a user made it.
fn owner(live: &Value) -> Option<&str> {
    let owners = live.pointer("/metadata/ownerReferences").and_then(Value::as_array);
    let ours = |owner: &&Value| owner.get("apiVersion").and_then(Value::as_str) == Some(API_VERSION);
    owners.into_iter().flatten().find(ours)?.get("uid")?.as_str()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_a_resource_of_the_operators_owns_goes() {
        let owned = |api_version: &str| json!({"metadata": {"ownerReferences": [{"apiVersion": api_version, "kind": "Meadow", "uid": "u-1"}]}});
        assert_eq!(owner(&owned("operator.tigera.io/v1")), Some("u-1"));
        assert_eq!(owner(&owned("apps/v1")), None);
        assert_eq!(owner(&json!({"metadata": {}})), None);
    }
}
