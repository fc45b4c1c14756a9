//! Replicas stay where desired does not say how many, or an autoscaler does.

use serde_json::{Map, Value};

use crate::merge::managed::holds_by_subresource;

/// The horizontal pod autoscaler runs in it and sets replicas through the subresource `scale`.
const AUTOSCALER: &str = "kube-controller-manager";

pub(super) fn carry_over(live: &Map<String, Value>, desired: &Map<String, Value>, wanted: &mut Map<String, Value>) {
    let unsaid = desired.get("spec").and_then(|spec| spec.get("replicas")).is_none_or(Value::is_null);
    if !unsaid && !holds_by_subresource(live, "scale", AUTOSCALER, &["spec", "replicas"]) {
        return;
    }
    let replicas = live.get("spec").and_then(|spec| spec.get("replicas"));
    if let (Some(replicas), Some(Value::Object(spec))) = (replicas, wanted.get_mut("spec")) {
        spec.insert("replicas".into(), replicas.clone());
    }
}
