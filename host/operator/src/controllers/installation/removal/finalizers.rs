//! Finalizers on the Installation itself: metadata only, never its spec.

use chimera_core::codes;
use chimera_core::merge::is_our_finalizer;
use chimera_core::message::Message;
use chimera_core::object::ObjectKey;
use kube::Api;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, Patch, PatchParams};
use serde_json::{Value, json};

use crate::client::{self, FIELD_MANAGER};
use crate::context::Context;

/// Keeps an Installation until what it runs was taken down in order; the Go operator's, so that either ends the other's.
const FINALIZER: &str = "operator.tigera.io/installation-controller";
/// Kubernetes' own, of a deletion that leaves dependents alone.
const ORPHAN: &str = "orphan";

/// Makes sure that the Installation is not gone before the operator has seen it go.
pub(in crate::controllers::installation) async fn hold(context: &Context, key: &ObjectKey) -> Result<(), Message> {
    let live = context.reader.get(key, "installations").await.map_err(super::super::dereference::failed)?;
    let Some(live) = live else { return Ok(()) };
    let mut finalizers = of(&live);
    if finalizers.iter().any(|finalizer| finalizer == FINALIZER) {
        return Ok(());
    }
    finalizers.push(FINALIZER.into());
    write(context, &live, key, &finalizers).await
}

/// Takes the operator's finalizers off, those of the Go operator included.
pub(super) async fn lift(context: &Context, live: &Value, key: &ObjectKey) -> Result<(), Message> {
    let mut finalizers = of(live);
    finalizers.retain(|finalizer| !is_our_finalizer(finalizer));
    write(context, live, key, &finalizers).await
}

/// Whether any of them is the operator's.
pub(super) fn are_held(live: &Value) -> bool {
    of(live).iter().any(|finalizer| is_our_finalizer(finalizer))
}

/// Whether what it owns is to stay.
pub(super) fn orphans(live: &Value) -> bool {
    of(live).iter().any(|finalizer| finalizer == ORPHAN)
}

fn of(live: &Value) -> Vec<String> {
    let finalizers = live.pointer("/metadata/finalizers").and_then(Value::as_array);
    finalizers.into_iter().flatten().filter_map(Value::as_str).map(Into::into).collect()
}

/// Over the version that was read only, since finalizers are one value in a merge patch.
async fn write(context: &Context, live: &Value, key: &ObjectKey, finalizers: &[String]) -> Result<(), Message> {
    let gvk = GroupVersionKind::gvk(key.group(), key.version(), &key.kind);
    let resource = ApiResource::from_gvk_with_plural(&gvk, "installations");
    let api: Api<DynamicObject> = Api::all_with(context.client.clone(), &resource);
    let version = live.pointer("/metadata/resourceVersion");
    let patch = json!({"metadata": {"resourceVersion": version, "finalizers": finalizers}});
    let params = PatchParams { field_manager: Some(FIELD_MANAGER.into()), ..PatchParams::default() };
    match api.patch(&key.name, &params, &Patch::Merge(patch)).await {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
        Err(error) => {
            let detail = client::reason(&error, "patch");
            Err(Message::new(&codes::APPLY_FAILED, detail).on(key).field("metadata.finalizers"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(finalizers: &[&str]) -> Value {
        json!({"metadata": {"finalizers": finalizers}})
    }

    #[test]
    fn the_finalizers_of_either_operator_are_ours_and_others_are_not() {
        assert!(are_held(&with(&["example.com/x", "tigera.io/operator-cleanup"])));
        assert!(are_held(&with(&[FINALIZER])));
        assert!(!are_held(&with(&["example.com/x", "foregroundDeletion", "nottigera.io/x"])));
        assert!(!are_held(&json!({"metadata": {}})));
    }

    #[test]
    fn a_deletion_that_orphans_is_told_apart() {
        assert!(orphans(&with(&[FINALIZER, "orphan"])));
        assert!(!orphans(&with(&[FINALIZER, "foregroundDeletion"])));
    }
}
