//! What a plugin may not do unless it was granted: told from the objects before and after, whatever the plugin is.
//!
//! Each object is read as a set of powers that it has; a change may not add one that takes a capability which is
//! missing. What the core rendered itself never counts.

mod pods;
mod rbac;

use std::collections::BTreeSet;

use chimera_core::extensions::{ComponentView, Operation};
use chimera_core::object::{Object, ObjectKey};

use crate::failure::Failure;
use crate::grants::{Capability, Grants};

/// Namespaces that no component counts as its own, though some have an object there: what is added in these reaches
/// the whole cluster, or the operator itself.
const PROTECTED: [&str; 5] = ["default", "kube-node-lease", "kube-public", "kube-system", "tigera-operator"];
/// Start of the labels of a Namespace that say which pods are admitted.
const POD_SECURITY: &str = "pod-security.kubernetes.io/";

/// Something that an object can do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Power {
    /// What it takes.
    capability: Capability,
    /// Path of the field, list items by name.
    field: String,
    /// The value, so that a change of it counts as new.
    value: String,
}

impl Power {
    fn new(capability: Capability, field: impl Into<String>, value: impl ToString) -> Self {
        Self { capability, field: field.into(), value: value.to_string() }
    }
}

/// Fails with the first power that the operations add and that is not granted.
pub(crate) fn check(component: ComponentView<'_>, operations: &[Operation], grants: &Grants) -> Result<(), Failure> {
    operations.iter().try_for_each(|operation| match operation {
        Operation::Add(object) => {
            if !is_own(component, object.key()) {
                let power = Power::new(Capability::ObjectsElsewhere, "metadata.namespace", "");
                require(object, &power, "it adds", grants)?;
            }
            compare(None, object, grants)
        }
        Operation::Replace(object) => {
            let before = component.objects.iter().find(|before| before.key() == object.key());
            compare(before, object, grants)
        }
        Operation::Remove { .. } => Ok(()),
    })
}

/// Whether an object stands where the component has objects already.
fn is_own(component: ComponentView<'_>, key: &ObjectKey) -> bool {
    let Some(namespace) = key.namespace.as_deref() else { return false };
    let used = |object: &Object| object.key().namespace.as_deref() == Some(namespace);
    !PROTECTED.contains(&namespace) && component.objects.iter().any(used)
}

fn compare(before: Option<&Object>, after: &Object, grants: &Grants) -> Result<(), Failure> {
    let had = before.map(|before| powers(before, Some(after))).unwrap_or_default();
    let has = powers(after, before);
    has.difference(&had).try_for_each(|power| require(after, power, "it sets", grants))
}

fn require(object: &Object, power: &Power, verb: &str, grants: &Grants) -> Result<(), Failure> {
    let Some(missing) = grants.missing(power.capability) else { return Ok(()) };
    let what = match (verb, power.value.is_empty()) {
        ("it adds", _) => "it adds an object where the component has none, in place".to_owned(),
        (_, true) => format!("{verb} {}", power.field),
        (_, false) => format!("{verb} {} to {}", power.field, crate::text::clean(&power.value, 128)),
    };
    Err(Failure::Denied {
        what,
        object: object.key().to_string(),
        field: power.field.clone(),
        capability: power.capability,
        missing,
    })
}

/// All powers of an object. The other side of the comparison tells which containers are new.
fn powers(object: &Object, other: Option<&Object>) -> BTreeSet<Power> {
    let mut powers = BTreeSet::new();
    pods::collect(object, other, &mut powers);
    rbac::collect(object, &mut powers);
    if object.key().kind == "Namespace" {
        let labels = object.pointer("/metadata/labels").and_then(|labels| labels.as_object()).into_iter().flatten();
        powers.extend(
            labels
                .filter(|(name, _)| name.starts_with(POD_SECURITY))
                .map(|(name, value)| Power::new(Capability::Privilege, format!("metadata.labels[{name}]"), value)),
        );
    }
    powers
}

#[cfg(test)]
mod tests;
