//! A Job's spec cannot be changed but for a few fields; where its pods have to differ it is created again.

use serde_json::{Map, Value};

/// What may change in a Job that is there.
const MUTABLE: [&str; 4] = ["parallelism", "suspend", "ttlSecondsAfterFinished", "activeDeadlineSeconds"];

pub(super) fn carry_over(live: &Map<String, Value>, wanted: &mut Map<String, Value>) {
    let (Some(Value::Object(live)), Some(Value::Object(spec))) = (live.get("spec"), wanted.get_mut("spec")) else {
        return;
    };
    let mut kept = live.clone();
    for field in MUTABLE {
        if let Some(value) = spec.get(field) {
            kept.insert(field.into(), value.clone());
        }
    }
    *spec = kept;
}
