//! What a user changes in single workloads, laid over core and plugins alike: what was set explicitly wins.
//!
//! Only names that selectors and the operator's own bookkeeping rely on cannot be replaced this way.

mod component_resources;
mod containers;
mod installation;
mod main_container;
#[cfg(test)]
mod tests;
mod workload;

use std::collections::BTreeMap;

use chimera_crds::installation::InstallationSpec;
pub(crate) use containers::unknown as unknown_containers;
use serde::Serialize;
use serde_json::Value;

use crate::component::{Component, Extended};
use crate::extensions::Point;
use crate::following::Following;
use crate::message::Message;
use crate::names::CALICO_SYSTEM;
use crate::object::{Object, ObjectKey};
use crate::provenance::{Origin, Provenance};

/// One override field of the user's resource, and the object that it changes.
#[derive(Clone, Debug)]
pub struct Override {
    /// Path of the field.
    field: String,
    /// The object.
    target: ObjectKey,
    /// What the user wrote.
    wanted: Value,
    /// Lays the one over the other.
    lay_on: fn(&mut Object, &Value),
}

impl Override {
    /// A field that is named after a workload in the namespace that Calico runs in, and has its shape; none if it is not
    /// set. `kind` is `Deployment` or `DaemonSet`.
    pub(crate) fn of_workload<T: Serialize>(
        field: &str,
        (kind, name): (&str, &str),
        wanted: Option<&T>,
    ) -> Option<Self> {
        let target = ObjectKey::namespaced("apps/v1", kind, CALICO_SYSTEM, name);
        Self::shaped(field, target, wanted)
    }

    /// A field with the shape of the object that it is named after; none if it is not set.
    pub(crate) fn shaped<T: Serialize>(field: &str, target: ObjectKey, wanted: Option<&T>) -> Option<Self> {
        let wanted = serde_json::to_value(wanted?).ok().filter(Value::is_object)?;
        Some(Self { field: format!("spec.{field}"), target, wanted, lay_on: workload::lay_on })
    }
}

impl Override {
    /// A field with the shape of a workload, whose pods have requests and limits that are those of one container, and
    /// replace what the workload says of nodes; none if it is not set.
    pub(crate) fn of_main_container<T: Serialize>(
        field: &str,
        target: ObjectKey,
        container: &str,
        wanted: Option<&T>,
    ) -> Option<Self> {
        let shaped = Self::shaped(field, target, wanted)?;
        let wanted = main_container::shape(shaped.wanted, container);
        Some(Self { wanted, lay_on: main_container::lay_on, ..shaped })
    }
}

/// Containers that overrides of an Installation name and that its workloads do not have.
pub(crate) fn unknown_containers_of(spec: &InstallationSpec, components: &[Component]) -> Vec<Message> {
    unknown_containers("Installation default", installation::workloads(spec), components)
}

/// Maps to which a user only adds: what the core set there stays, and what a plugin set gives way.
const ADDED_TO: [&str; 5] = [
    "/metadata/labels/",
    "/metadata/annotations/",
    "/spec/template/metadata/labels/",
    "/spec/template/metadata/annotations/",
    "/spec/template/spec/nodeSelector/",
];

/// Lays the override fields of a point's resource over a component; tells which fields they set. `plugins`: which fields
/// plugins set before.
pub(crate) fn lay_on(
    mut component: Component<Extended>,
    point: Point<'_>,
    plugins: &Provenance,
) -> (Component<Extended>, Provenance) {
    let overrides = match point {
        Point::Installation(config) | Point::Windows(config) => installation::overrides(&config.spec),
        point => point.following().map(Following::overrides).unwrap_or_default(),
    };
    let mut provenance = Provenance::default();
    let mut objects = component.take();
    for Override { field, target, wanted, lay_on } in overrides {
        for object in objects.iter_mut().filter(|object| *object.key() == target) {
            let before = object.clone();
            give_way(object, &wanted, plugins.of(&target));
            lay_on(object, &wanted);
            provenance.record(Some(&before), object, &Origin::Override { field: field.clone() });
        }
    }
    (component.overridden(objects), provenance)
}

/// Takes out entries that a plugin set and that the user states.
fn give_way(object: &mut Object, wanted: &Value, set: Option<&BTreeMap<String, Origin>>) {
    for pointer in set.into_iter().flatten().map(|(pointer, _)| pointer).filter(|at| wanted.pointer(at).is_some()) {
        let Some((map, name)) = ADDED_TO.iter().find_map(|map| Some((*map, pointer.strip_prefix(map)?))) else {
            continue;
        };
        let name = name.replace("~1", "/").replace("~0", "~");
        match map {
            "/metadata/labels/" => object.edit_labels(|labels| drop(labels.remove(&name))),
            "/metadata/annotations/" => object.edit_annotations(|annotations| drop(annotations.remove(&name))),
            _ => {
                let map = object.pointer_mut(map.trim_end_matches('/')).and_then(Value::as_object_mut);
                map.map(|map| map.remove(&name));
            }
        }
    }
}
