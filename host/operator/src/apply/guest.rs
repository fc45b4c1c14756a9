//! A Namespace that the user made first stays the user's: the operator puts its labels on it, but no owner, so that it
//! does not go with the Installation, and whatever else is in it with it.

use std::borrow::Cow;

use chimera_core::object::Object;
use serde_json::{Value, json};

use super::delete::is_ours;

/// Annotation of such a Namespace: once the operator has written to it, nothing else tells.
pub const CREATED_BY_USER: &str = "operator.tigera.io/created-by-user";

/// The desired object, without an owner and with the annotation if the live one is the user's.
pub(super) fn as_guest<'a>(desired: &'a Object, live: &Value) -> Cow<'a, Object> {
    let key = desired.key();
    if (key.api_version.as_str(), key.kind.as_str()) != ("v1", "Namespace") || !is_users(live) {
        return Cow::Borrowed(desired);
    }
    let mut desired = desired.clone();
    desired.set_owner_references(json!([]));
    desired.edit_annotations(|annotations| {
        annotations.insert(CREATED_BY_USER.into(), "true".into());
    });
    Cow::Owned(desired)
}

fn is_users(live: &Value) -> bool {
    let annotations = live.pointer("/metadata/annotations");
    let noted =
        annotations.and_then(|annotations| annotations.get(CREATED_BY_USER)).is_some_and(|value| value == "true");
    noted || !is_ours(live)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_namespace_that_somebody_else_made_stays_without_an_owner() {
        let desired = |kind: &str| {
            let owner =
                json!([{"apiVersion": "operator.tigera.io/v1", "kind": "Installation", "name": "default", "uid": "1"}]);
            let metadata = json!({"name": "meadow", "ownerReferences": owner});
            Object::from_value(json!({"apiVersion": "v1", "kind": kind, "metadata": metadata})).unwrap()
        };
        let owned = |object: &Object| object.pointer("/metadata/ownerReferences/0").is_some();
        let theirs = json!({"metadata": {"name": "meadow"}});
        let ours =
            json!({"metadata": {"name": "meadow", "labels": {"app.kubernetes.io/managed-by": "tigera-operator"}}});
        assert!(owned(&as_guest(&desired("Namespace"), &ours)));
        assert!(owned(&as_guest(&desired("ServiceAccount"), &theirs)));
        let guest = as_guest(&desired("Namespace"), &theirs).into_owned();
        assert!(!owned(&guest));
        // Labelled as the operator's by now.
        let mut later = guest.into_value();
        later["metadata"]["labels"] = ours["metadata"]["labels"].clone();
        assert!(!owned(&as_guest(&desired("Namespace"), &later)));
    }
}
