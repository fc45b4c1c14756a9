//! The uniform policies: what every object gets, whoever rendered it.
//!
//! They fill only what is unset, so that plugins and the user's overrides win; the image pull policy alone always
//! applies. Objects of a shared component ([`Component::shared`]) get neither labels nor owner.

mod labels;
mod network_policies;
mod owner;
mod pods;

use crate::component::{Component, Extended, Finished};
use crate::object::Object;
use crate::provenance::{Origin, Provenance};

pub use labels::{HOST_NETWORKED_LABEL, MANAGED_BY_LABEL, MANAGED_BY_VALUE};
pub use owner::{MULTIPLE_OWNERS_LABEL, Owner};

/// What the policies need to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyContext {
    /// The custom resource that the component belongs to.
    pub owner: Owner,
    /// From the Installation; none: `IfNotPresent`.
    pub image_pull_policy: Option<String>,
    /// Cipher suites for `TLS_CIPHER_SUITES`, separated by commas.
    pub tls_cipher_suites: Option<String>,
    /// Version for `TLS_MIN_VERSION`.
    pub tls_min_version: Option<String>,
    /// The administrator looks after network policies: none is created, and those created before are deleted.
    pub leaves_network_policies: bool,
}

/// Lays the policies on every object of a component; tells which fields they set.
pub fn finish(mut component: Component<Extended>, ctx: &PolicyContext) -> (Component<Finished>, Provenance) {
    let mut provenance = Provenance::default();
    network_policies::leave_out(&mut component, ctx);
    let mut objects = component.take();
    for object in &mut objects {
        // Nothing is laid on what it carries, which may be long.
        let data = object.detach_data();
        let before = object.clone();
        lay_on_object(object, &component, ctx);
        provenance.record(Some(&before), object, &Origin::Policy);
        object.attach_data(data);
    }
    (component.finished(objects), provenance)
}

/// As [`finish`], for whoever does not ask which fields they set: finding that out takes longer than laying them on.
pub fn lay_on(mut component: Component<Extended>, ctx: &PolicyContext) -> Component<Finished> {
    network_policies::leave_out(&mut component, ctx);
    let mut objects = component.take();
    objects.iter_mut().for_each(|object| lay_on_object(object, &component, ctx));
    component.finished(objects)
}

fn lay_on_object(object: &mut Object, component: &Component<Extended>, ctx: &PolicyContext) {
    pods::lay_on(object, component.os(), ctx);
    if !component.is_shared() {
        labels::lay_on(object, &ctx.owner);
        owner::lay_on(object, &ctx.owner);
    }
}

/// Where an object of a kind that starts pods keeps what describes them.
struct PodPlace {
    /// JSON pointer of what holds the pods' metadata.
    parent: &'static str,
    /// Name of the metadata in there.
    metadata: &'static str,
    /// JSON pointer of the pods' spec.
    spec: &'static str,
}

fn pod_place(object: &Object) -> Option<PodPlace> {
    let place = |parent, metadata, spec| Some(PodPlace { parent, metadata, spec });
    match (object.key().group(), object.key().kind.as_str()) {
        ("apps", "DaemonSet" | "Deployment" | "StatefulSet") | ("batch", "Job") => {
            place("/spec/template", "metadata", "/spec/template/spec")
        }
        ("batch", "CronJob") => {
            place("/spec/jobTemplate/spec/template", "metadata", "/spec/jobTemplate/spec/template/spec")
        }
        // Its pods are described by the resource itself.
        ("monitoring.coreos.com", "Prometheus") => place("/spec", "podMetadata", "/spec"),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
