//! The Installation named `overlay`, which is laid over the one named `default`: what it sets goes before.
//!
//! A map is merged field by field; a list, and anything else, is replaced as a whole. Neither resource is written.

use serde_json::{Map, Value};

use crate::message::Message;

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

/// Names the one that states the field where a message is about a field of the other: that is where it can be corrected.
#[must_use]
pub fn attribute(message: Message, overlay: Option<&Value>) -> Message {
    let stated = |path: &str| overlay.is_some_and(|overlay| states(overlay, path));
    if message.object() == Some("Installation default") && message.field_path().is_some_and(stated) {
        return message.on(format!("Installation {OVERLAY}"));
    }
    message
}

/// Whether it sets the field of a path such as `spec.calicoNetwork.ipPools[0].cidr`. A list is its own as a whole.
fn states(overlay: &Value, path: &str) -> bool {
    let mut value = overlay;
    for part in path.split('.') {
        let Value::Object(fields) = value else { break };
        let name = part.split('[').next().unwrap_or_default();
        match fields.get(name) {
            None | Some(Value::Null) => return false,
            Some(inner) => value = inner,
        }
    }
    true
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
    fn a_message_names_the_overlay_only_where_that_states_the_field() {
        let over = json!({"spec": {"registry": "x", "imagePath": null,
            "calicoNetwork": {"ipPools": [{"cidr": "y"}], "nodeAddressAutodetectionV4": {"interface": "["}}}});
        let of = |path: &str, over: Option<&Value>| {
            let message =
                Message::new(&crate::codes::INVALID_CONFIGURATION, "no").on("Installation default").field(path);
            attribute(message, over).object().map(str::to_owned)
        };
        for path in
            ["spec.registry", "spec.calicoNetwork.ipPools[0].cidr", "spec.calicoNetwork.ipPools[0].nodeSelector"]
        {
            assert_eq!(of(path, Some(&over)).as_deref(), Some("Installation overlay"), "{path}");
            assert_eq!(of(path, None).as_deref(), Some("Installation default"), "{path}");
        }
        for path in ["spec.imagePath", "spec.variant", "spec.calicoNetwork.mtu", "metadata.name"] {
            assert_eq!(of(path, Some(&over)).as_deref(), Some("Installation default"), "{path}");
        }
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
