//! What to create in the place of an object that had to be deleted.

use serde_json::{Map, Value};

use super::overlay::Overlay;
use super::{kinds, managed, metadata};
use crate::defaulting::canonical::is_built_in;
use crate::object::Object;

/// Annotations that Kubernetes' controllers keep about the very object that went.
const OF_THE_FORMER: [&str; 2] = ["deprecated.daemonset.template.generation", "deployment.kubernetes.io/revision"];

/// The desired object with what others laid on the former one: labels, annotations, owners, and replicas where an
/// autoscaler sets them. Nothing that the API server set is carried over, nor finalizers: whoever had one is done.
pub fn anew(former: &Value, desired: &Object) -> Object {
    let Value::Object(former) = former else { return desired.clone() };
    let mut anew = desired.clone();
    let overlay = Overlay { built_in: is_built_in(desired.key()), removes: true };
    let managed = managed::managed(former);
    let laid = metadata::lay(&overlay, former, desired.fields(), &managed);
    if let (Value::Object(mut laid), Some(Value::Object(metadata))) = (laid, anew.fields_mut().get_mut("metadata")) {
        if let Some(Value::Object(annotations)) = laid.get_mut("annotations") {
            OF_THE_FORMER.iter().for_each(|name| _ = annotations.remove(*name));
        }
        for name in ["labels", "annotations", "ownerReferences"] {
            if let Some(value) = laid.remove(name).filter(|value| !is_empty(value)) {
                metadata.insert(name.into(), value);
            }
        }
    }
    kinds::carry_over_anew(desired.key(), former, desired.fields(), anew.fields_mut());
    anew
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(Map::is_empty)
}
