//! A component's objects, to be looked at and changed.

use serde_json::Value;

use crate::bindings::imports::chimera::plugin::types::{self, ObjectKey, Operation, Removal};
use crate::pod_template::PodTemplate;

/// Kinds that make pods from a template at `spec.template`.
const WORKLOADS: [&str; 4] = ["DaemonSet", "Deployment", "Job", "StatefulSet"];

/// A component.
pub struct Component {
    name: String,
    objects: Vec<Object>,
    added: Vec<types::Object>,
    removed: Vec<Removal>,
}

/// One object of a component. Its JSON is read when it is first looked at.
pub struct Object {
    key: ObjectKey,
    json: String,
    value: Option<Value>,
}

impl Component {
    pub(crate) fn new(name: String, objects: Vec<types::Object>) -> Self {
        let objects = objects.into_iter().map(|object| Object { key: object.key, json: object.json, value: None });
        Self { name, objects: objects.collect(), added: Vec::new(), removed: Vec::new() }
    }

    /// Its name, as `calico-node`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its objects, in the order in which they will be created.
    pub fn objects_mut(&mut self) -> impl Iterator<Item = &mut Object> {
        self.objects.iter_mut()
    }

    /// The object of this kind and name, whatever its namespace.
    pub fn find_mut(&mut self, kind: &str, name: &str) -> Option<&mut Object> {
        self.objects.iter_mut().find(|object| object.key.kind == kind && object.key.name == name)
    }

    /// Pod templates of all its workloads.
    pub fn pod_templates_mut(&mut self) -> impl Iterator<Item = PodTemplate<'_>> {
        self.objects.iter_mut().filter_map(Object::pod_template_mut)
    }

    /// Adds an object, which stands behind those that are there.
    pub fn add(&mut self, key: ObjectKey, object: &Value) {
        self.added.push(types::Object { key, json: object.to_string() });
    }

    /// Leaves an object out, for a reason that the status shows.
    pub fn remove(&mut self, key: &ObjectKey, reason: &str) {
        self.removed.push(Removal { key: key.clone(), reason: reason.into() });
    }

    /// What was changed.
    pub(crate) fn into_operations(self) -> Vec<Operation> {
        let Self { name: _, objects, added, removed } = self;
        let stays = |object: &Object| removed.iter().all(|removal| removal.key != object.key);
        let replaced: Vec<_> =
            objects.into_iter().filter(stays).filter_map(Object::changed).map(Operation::Replace).collect();
        let removed = removed.into_iter().map(Operation::Remove);
        replaced.into_iter().chain(removed).chain(added.into_iter().map(Operation::Add)).collect()
    }
}

impl Object {
    /// What names it.
    pub fn key(&self) -> &ObjectKey {
        &self.key
    }

    /// Its JSON, to be changed.
    pub fn value_mut(&mut self) -> &mut Value {
        // The host sends nothing but JSON; if it did, it would refuse this null.
        let read = || serde_json::from_str(&self.json).unwrap_or_default();
        self.value.get_or_insert_with(read)
    }

    /// Its pod template, if it is a workload.
    pub fn pod_template_mut(&mut self) -> Option<PodTemplate<'_>> {
        let is_workload = WORKLOADS.contains(&self.key.kind.as_str());
        is_workload.then(|| self.value_mut().pointer_mut("/spec/template")).flatten().map(PodTemplate::new)
    }

    /// The object as it is now, if it is not what it was.
    fn changed(self) -> Option<types::Object> {
        let json = self.value?.to_string();
        (json != self.json).then_some(types::Object { key: self.key, json })
    }
}

#[cfg(test)]
mod tests;
