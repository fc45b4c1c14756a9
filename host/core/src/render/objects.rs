//! Collects the objects of a component while it is rendered.

use chimera_crds::projectcalico::{self, Spec};
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

    /// Adds objects that are rendered already.
    pub(crate) fn add(&mut self, objects: Vec<Object>) {
        self.create.extend(objects);
    }

    /// Adds one of Calico's own objects to create.
    pub(crate) fn create_calico<S: Spec + Serialize>(&mut self, typed: &projectcalico::Object<S>) -> Result<(), Error> {
        let kind = S::KIND.kind(projectcalico::ApiGroup::V3);
        let object = Object::new(typed).map_err(|source| Error::Object { kind, source })?;
        self.create.push(object);
        Ok(())
    }

    /// Adds a policy in the operator's tier, in the namespace that Calico runs in, that must not be there.
    pub(crate) fn delete_calico_policy(&mut self, name: &str) {
        let group = projectcalico::ApiGroup::V3;
        let kind = projectcalico::Kind::NetworkPolicy.kind(group);
        self.delete.push(ObjectKey::namespaced(group.api_version(), kind, crate::names::CALICO_SYSTEM, name));
    }

    /// Adds an object of another namespace that must not be there.
    pub(crate) fn delete_from<T: Resource>(&mut self, namespace: &str, name: &str) {
        self.delete.push(ObjectKey::namespaced(T::API_VERSION, T::KIND, namespace, name));
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
