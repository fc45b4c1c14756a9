//! The order in which objects of a chart are applied: what others need comes first.

use crate::object::Object;

/// Kinds that others need; whatever is not here comes after them and before what runs pods.
const FIRST: [&str; 12] = [
    "Namespace",
    "ResourceQuota",
    "PriorityClass",
    "ServiceAccount",
    "Secret",
    "ConfigMap",
    "ClusterRole",
    "ClusterRoleBinding",
    "Role",
    "RoleBinding",
    "Service",
    "PodDisruptionBudget",
];
/// Kinds that run pods, and those that call what runs in them.
const LAST: [&str; 7] = [
    "Job",
    "Deployment",
    "DaemonSet",
    "StatefulSet",
    "HorizontalPodAutoscaler",
    "ValidatingWebhookConfiguration",
    "MutatingWebhookConfiguration",
];

/// Sorts; objects of a kind by their names, so that the same chart gives the same bundle.
pub(super) fn sort(objects: &mut [Object]) {
    objects.sort_by(|a, b| (rank(a), a.key()).cmp(&(rank(b), b.key())));
}

fn rank(object: &Object) -> usize {
    let kind = object.key().kind.as_str();
    let place = |list: &[&str]| list.iter().position(|other| *other == kind);
    match (place(&FIRST), place(&LAST)) {
        (Some(place), _) => place,
        (_, Some(place)) => FIRST.len() + 1 + place,
        _ => FIRST.len(),
    }
}
