//! Network policies, where the administrator looks after them.

use super::PolicyContext;
use crate::component::{Component, Extended};
use crate::object::ObjectKey;

/// Groups and kinds that restrict or allow traffic.
const KINDS: [(&str, &str); 5] = [
    ("networking.k8s.io", "NetworkPolicy"),
    ("crd.projectcalico.org", "NetworkPolicy"),
    ("crd.projectcalico.org", "GlobalNetworkPolicy"),
    ("projectcalico.org", "NetworkPolicy"),
    ("projectcalico.org", "GlobalNetworkPolicy"),
];

/// Turns each network policy to create into one to delete; apply deletes none that a user made.
pub(super) fn leave_out(component: &mut Component<Extended>, ctx: &PolicyContext) {
    if !ctx.leaves_network_policies || !component.objects().iter().any(|object| is_network_policy(object.key())) {
        return;
    }
    let (left, kept) = component.take().into_iter().partition::<Vec<_>, _>(|object| is_network_policy(object.key()));
    component.put_back(kept);
    left.iter().for_each(|object| component.also_deleting(object.key().clone()));
}

fn is_network_policy(key: &ObjectKey) -> bool {
    KINDS.contains(&(key.group(), key.kind.as_str()))
}
