//! What a user changes in single workloads, laid over core and plugins alike: what was set explicitly wins.
//!
//! Only names that selectors and the operator's own bookkeeping rely on cannot be replaced this way.

mod component_resources;
mod containers;
mod installation;
#[cfg(test)]
mod tests;
mod workload;

pub(crate) use containers::unknown as unknown_containers;
use serde_json::Value;

use crate::component::{Component, Extended};
use crate::extensions::Point;
use crate::object::{Object, ObjectKey};
use crate::provenance::{Origin, Provenance};

/// One override field of the user's resource, and the object that it changes.
struct Override {
    /// Path of the field.
    field: String,
    /// The object.
    target: ObjectKey,
    /// What the user wrote.
    wanted: Value,
    /// Lays the one over the other.
    lay_on: fn(&mut Object, &Value),
}

/// Lays the override fields of a point's resource over a component; tells which fields they set.
pub(crate) fn lay_on(mut component: Component<Extended>, point: Point<'_>) -> (Component<Extended>, Provenance) {
    let overrides = match point {
        Point::Installation(config) | Point::Windows(config) => installation::overrides(&config.spec),
        Point::Other(_) => Vec::new(),
    };
    let mut provenance = Provenance::default();
    let mut objects = component.take();
    for Override { field, target, wanted, lay_on } in overrides {
        for object in objects.iter_mut().filter(|object| *object.key() == target) {
            let before = object.clone();
            lay_on(object, &wanted);
            provenance.record(Some(&before), object, &Origin::Override { field: field.clone() });
        }
    }
    (component.overridden(objects), provenance)
}
