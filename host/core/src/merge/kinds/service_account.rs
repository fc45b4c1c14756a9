//! What Kubernetes and others fill into a ServiceAccount is theirs.

use serde_json::{Map, Value};

/// Lists of references by name that several write to.
const REFERENCES: [&str; 2] = ["secrets", "imagePullSecrets"];

pub(super) fn carry_over(live: &Map<String, Value>, wanted: &mut Map<String, Value>) {
    for (name, value) in live.iter().filter(|(name, _)| *name != "metadata") {
        match wanted.get_mut(name) {
            None => _ = wanted.insert(name.clone(), value.clone()),
            Some(Value::Array(wanted)) if REFERENCES.contains(&name.as_str()) => add(value, wanted),
            Some(_) => {}
        }
    }
}

fn add(live: &Value, wanted: &mut Vec<Value>) {
    let live = live.as_array().cloned().unwrap_or_default();
    // In the live order, so that nothing is written only to sort them.
    let missing: Vec<_> = wanted.iter().filter(|reference| !live.contains(reference)).cloned().collect();
    *wanted = live;
    wanted.extend(missing);
}
