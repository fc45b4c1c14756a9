//! Owner references, so that Kubernetes cleans up when the custom resource goes.

use serde_json::{Value, json};

use super::labels::label_value;
use crate::object::Object;

/// Label of an object that several custom resources own together; none of them is its controller.
pub const MULTIPLE_OWNERS_LABEL: &str = "operator.tigera.io/multipleOwners";

/// A custom resource that owns what is rendered for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    /// `operator.tigera.io/v1`.
    pub api_version: String,
    /// `Installation`, …
    pub kind: String,
    /// `metadata.name`.
    pub name: String,
    /// Absent for cluster-scoped resources.
    pub namespace: Option<String>,
    /// `metadata.uid`; absent offline.
    pub uid: Option<String>,
}

impl Owner {
    /// `Installation.operator.tigera.io`, as the label `app.kubernetes.io/component` has it.
    pub(super) fn label(&self) -> String {
        let group = self.api_version.split_once('/').map_or("", |(group, _)| group);
        label_value(&format!("{}.{group}", self.kind))
    }

    /// Kubernetes deletes objects whose namespaced owner is not in their own namespace.
    fn can_own(&self, object: &Object) -> bool {
        let key = object.key();
        let same_place = self.namespace.is_none() || self.namespace == key.namespace;
        // Without its CustomResourceDefinition a resource would go, and with it everything that it owns.
        let definition = key.group() == "apiextensions.k8s.io";
        !self.kind.is_empty() && same_place && !definition
    }

    fn reference(&self, controls: bool) -> Value {
        let mut reference = json!({"apiVersion": self.api_version, "kind": self.kind, "name": self.name});
        if let Value::Object(fields) = &mut reference {
            if let Some(uid) = &self.uid {
                fields.insert("uid".into(), uid.clone().into());
            }
            if controls {
                fields.insert("controller".into(), true.into());
                fields.insert("blockOwnerDeletion".into(), true.into());
            }
        }
        reference
    }
}

pub(super) fn lay_on(object: &mut Object, owner: &Owner) {
    if !owner.can_own(object) || object.pointer("/metadata/ownerReferences").is_some() {
        return;
    }
    let shared = has_label(object, MULTIPLE_OWNERS_LABEL);
    object.set_owner_references(Value::Array(vec![owner.reference(!shared)]));
}

fn has_label(object: &Object, label: &str) -> bool {
    object.pointer("/metadata/labels").and_then(|labels| labels.get(label)).is_some()
}
