//! Collects the objects of a component while it is rendered.

use k8s_openapi::Resource;
use serde::Serialize;

use super::Error;
use crate::component::Component;
use crate::object::{Object, ObjectKey};

/// Objects to create and keys of those that must not be there, in order.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    create: Vec<Object>,
    delete: Vec<ObjectKey>,
}

impl Objects {
    /// Adds an object to create.
    pub(crate) fn create<T: Resource + Serialize>(&mut self, typed: &T) -> Result<(), Error> {
        let object = Object::new(typed).map_err(|source| Error::Object { kind: T::KIND, source })?;
        self.create.push(object);
        Ok(())
    }

    /// Adds an object of the namespace that Calico runs in that must not be there.
    pub(crate) fn delete<T: Resource>(&mut self, name: &str) {
        self.delete.push(ObjectKey::namespaced(T::API_VERSION, T::KIND, crate::names::CALICO_SYSTEM, name));
    }

    /// Adds a cluster-scoped object that must not be there.
    pub(crate) fn delete_from_cluster<T: Resource>(&mut self, name: &str) {
        self.delete.push(ObjectKey::cluster(T::API_VERSION, T::KIND, name));
    }

    /// The component.
    pub(crate) fn component(self, name: &'static str) -> Component {
        Component::new(name, self.create).deleting(self.delete)
    }
}
