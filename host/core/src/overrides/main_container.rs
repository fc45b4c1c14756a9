//! Overrides whose pods carry requests and limits of their own: those of the workload's main container.

use serde_json::{Value, json};

use super::workload;
use crate::object::Object;

/// Puts them where containers have them.
pub(super) fn shape(mut wanted: Value, container: &str) -> Value {
    let pod = wanted.pointer_mut("/spec/template/spec").and_then(Value::as_object_mut);
    if let Some(pod) = pod
        && let Some(resources) = pod.remove("resources")
    {
        pod.insert("containers".into(), json!([{"name": container, "resources": resources}]));
    }
    wanted
}

/// Lays the override over the object. Node labels replace those that are there: they come from a chart, which the user
/// did not choose.
pub(super) fn lay_on(object: &mut Object, wanted: &Value) {
    const SELECTOR: &str = "nodeSelector";
    let replaces = wanted.pointer("/spec/template/spec/nodeSelector").is_some();
    let pod = object.pod_template_mut().and_then(|template| template.get_mut("spec")).and_then(Value::as_object_mut);
    if let Some(pod) = pod.filter(|_| replaces) {
        pod.remove(SELECTOR);
    }
    workload::lay_on(object, wanted);
}
