//! The Installation named `overlay`, which is laid over the one named `default`: what it sets goes before.
//!
//! A map is merged field by field; a list, and anything else, is replaced as a whole. Neither resource is written.

use serde_json::{Map, Value};

/// Name of the Installation that is laid over the other.
pub const OVERLAY: &str = "overlay";

/// Maps of which only one field may be set, so that two halves make no whole.
const WHOLE: [&str; 2] = ["nodeAddressAutodetectionV4", "nodeAddressAutodetectionV6"];

/// Lays the spec of `overlay` over that of `installation`; the rest of it stays its own.
pub fn lay(installation: &mut Value, overlay: &Value) {
    let Some(Value::Object(over)) = overlay.get("spec") else { return };
    let Value::Object(fields) = installation else { return };
    match fields.get_mut("spec") {
        Some(Value::Object(spec)) => merge(spec, over),
        _ => _ = fields.insert("spec".into(), Value::Object(over.clone())),
    }
}

fn merge(base: &mut Map<String, Value>, over: &Map<String, Value>) {
    for (name, value) in over.iter().filter(|(_, value)| !value.is_null()) {
        match (base.get_mut(name), value) {
            (Some(Value::Object(below)), Value::Object(value)) if !WHOLE.contains(&name.as_str()) => {
                merge(below, value);
            }
            _ => _ = base.insert(name.clone(), value.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_overlay_sets_goes_before_field_by_field_and_lists_are_replaced() {
        let mut base = json!({"metadata": {"name": "default"}, "status": {"mtu": 1}, "spec": {
            "registry": "a.example/", "imagePath": "path", "imagePullSecrets": [{"name": "a"}],
            "calicoNetwork": {"bgp": "Enabled", "mtu": 1400, "ipPools": [{"cidr": "10.0.0.0/16"}],
                "nodeAddressAutodetectionV4": {"firstFound": true}}}});
        let over = json!({"metadata": {"name": "overlay"}, "status": {"mtu": 2}, "spec": {
            "registry": "b.example/", "variant": null, "imagePullSecrets": [{"name": "b"}],
            "calicoNetwork": {"bgp": "Disabled", "ipPools": [],
                "nodeAddressAutodetectionV4": {"interface": "eth0"}}}});
        lay(&mut base, &over);
        let want = json!({"metadata": {"name": "default"}, "status": {"mtu": 1}, "spec": {
            "registry": "b.example/", "imagePath": "path", "imagePullSecrets": [{"name": "b"}],
            "calicoNetwork": {"bgp": "Disabled", "mtu": 1400, "ipPools": [],
                "nodeAddressAutodetectionV4": {"interface": "eth0"}}}});
        assert_eq!(base, want);
    }

    #[test]
    fn an_empty_overlay_changes_nothing_and_an_empty_default_takes_it_whole() {
        let mut base = json!({"spec": {"registry": "a"}});
        lay(&mut base, &json!({"metadata": {"name": "overlay"}}));
        lay(&mut base, &json!({"spec": {}}));
        assert_eq!(base, json!({"spec": {"registry": "a"}}));
        let mut base = json!({});
        lay(&mut base, &json!({"spec": {"registry": "b"}}));
        assert_eq!(base, json!({"spec": {"registry": "b"}}));
    }
}
