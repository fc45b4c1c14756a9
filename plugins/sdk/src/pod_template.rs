//! A pod template, to be looked at and changed.

use serde_json::{Map, Value};

/// Template of a workload's pods.
pub struct PodTemplate<'a>(&'a mut Value);

impl<'a> PodTemplate<'a> {
    pub(crate) fn new(template: &'a mut Value) -> Self {
        Self(template)
    }

    /// Its JSON.
    pub fn value_mut(&mut self) -> &mut Value {
        self.0
    }

    /// The pod's spec; none if the template has none.
    pub fn spec_mut(&mut self) -> Option<&mut Map<String, Value>> {
        self.0.get_mut("spec")?.as_object_mut()
    }

    /// The pod's containers, without init containers.
    pub fn containers_mut(&mut self) -> impl Iterator<Item = &mut Map<String, Value>> {
        let containers = self.0.pointer_mut("/spec/containers").and_then(Value::as_array_mut);
        containers.into_iter().flatten().filter_map(Value::as_object_mut)
    }

    /// Sets a label of the pods. A workload's selector is another field and stays as it is.
    pub fn set_label(&mut self, name: &str, value: &str) {
        self.set("labels", name, value);
    }

    /// Sets an annotation of the pods.
    pub fn set_annotation(&mut self, name: &str, value: &str) {
        self.set("annotations", name, value);
    }

    fn set(&mut self, map: &str, name: &str, value: &str) {
        let map = entry(self.0, "metadata").and_then(|metadata| entry(metadata, map)).and_then(Value::as_object_mut);
        if let Some(map) = map {
            map.insert(name.into(), value.into());
        }
    }
}

/// The map of that name, made if it is not there.
fn entry<'a>(value: &'a mut Value, name: &str) -> Option<&'a mut Value> {
    let entry = value.as_object_mut()?.entry(name).or_insert_with(|| Map::new().into());
    if entry.is_null() {
        *entry = Map::new().into();
    }
    Some(entry)
}
