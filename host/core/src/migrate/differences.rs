//! Where the user's Installation says something else than the running install. The Installation wins; that is said before.

use chimera_crds::installation::InstallationSpec;
use serde_json::Value;

use crate::codes;
use crate::message::Message;

/// What cannot change under pods that run: they would lose their addresses or their network.
const FIXED: [&str; 2] = ["cni.type", "cni.ipam.type"];
/// Compared pool by pool elsewhere, by what exists in the cluster.
const ELSEWHERE: [&str; 1] = ["calicoNetwork.ipPools"];

/// One message a field.
pub fn differences(stated: &InstallationSpec, running: &InstallationSpec) -> Vec<Message> {
    let json = |spec| serde_json::to_value(spec).unwrap_or_default();
    let mut messages = Vec::new();
    compare(&json(stated), &json(running), "", &mut messages);
    messages
}

fn compare(stated: &Value, running: &Value, path: &str, messages: &mut Vec<Message>) {
    match (stated, running) {
        (Value::Null, _) | (_, Value::Null) => {}
        _ if ELSEWHERE.contains(&path) => {}
        // A choice of one way among several is one value.
        (Value::Object(a), Value::Object(b)) if !path.contains("nodeAddressAutodetection") => {
            for (name, stated) in a {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                compare(stated, b.get(name).unwrap_or(&Value::Null), &path, messages);
            }
        }
        (stated, running) if stated == running => {}
        (stated, running) => messages.push(message(stated, running, path)),
    }
}

fn message(stated: &Value, running: &Value, path: &str) -> Message {
    let (code, what) = if FIXED.contains(&path) {
        (&codes::MANIFEST_CONTRADICTED, "which cannot change while pods run; state the same")
    } else {
        (&codes::MANIFEST_DIFFERS, "which ends as each node moves")
    };
    let detail = format!("it says {stated}, the running install has {running}, {what}");
    Message::new(code, detail).on("Installation default").field(format!("spec.{path}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(stated: Value, running: Value) -> Vec<String> {
        let spec = |value| serde_json::from_value(value).unwrap();
        differences(&spec(stated), &spec(running)).iter().map(Message::to_string).collect()
    }

    #[test]
    fn what_the_user_does_not_state_is_no_difference() {
        let running = json!({"calicoNetwork": {"mtu": 1440}, "cni": {"type": "Calico"}});
        assert!(texts(json!({}), running.clone()).is_empty());
        assert!(texts(json!({"calicoNetwork": {"mtu": 1440}}), running).is_empty());
    }

    #[test]
    fn both_values_are_named_and_what_cannot_change_is_an_error() {
        let stated = json!({"calicoNetwork": {"mtu": 1400}, "cni": {"type": "Calico", "ipam": {"type": "HostLocal"}}});
        let running = json!({"calicoNetwork": {"mtu": 1440}, "cni": {"type": "Calico", "ipam": {"type": "Calico"}}});
        let texts = texts(stated, running);
        assert!(texts[0].starts_with("Installation default spec.calicoNetwork.mtu: it says 1400"), "{texts:?}");
        assert!(texts[1].contains("cni.ipam.type") && texts[1].contains("cannot change"), "{texts:?}");
    }
}
