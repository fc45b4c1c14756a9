//! Whether kube-proxy runs: the BPF dataplane takes its place, and where the user wants, the operator turns it off and on.
//!
//! It stays as it is but for one node label that its pods ask for and that no node has. Everything else in its node
//! selector is the user's.

use chimera_crds::installation::InstallationSpec;
use serde_json::{Value, json};

use crate::codes;
use crate::message::Message;
use crate::migrate::names::KUBE_SYSTEM;
use crate::names::KUBE_PROXY;
use crate::object::{Object, ObjectKey};

/// The node label that no node has. The operator before this one uses the same.
const LABEL: &str = "operator.tigera.io/disable-kube-proxy";
/// Say that somebody else keeps the DaemonSet as it is.
const MANAGERS: [&str; 3] = [
    "/metadata/labels/app.kubernetes.io~1managed-by",
    "/metadata/labels/addonmanager.kubernetes.io~1mode",
    "/metadata/annotations/argocd.argoproj.io~1tracking-id",
];

/// The DaemonSet.
pub fn daemon_set() -> ObjectKey {
    ObjectKey::namespaced("apps/v1", "DaemonSet", KUBE_SYSTEM, KUBE_PROXY)
}

/// Whether an Installation wants kube-proxy looked after.
pub fn is_managed(spec: &InstallationSpec) -> bool {
    let network = spec.calico_network.as_ref();
    network.and_then(|network| network.kube_proxy_management).is_some_and(|toggle| toggle.is_enabled())
}

/// Whether nodes serve Services by BPF, as FelixConfiguration `default` tells them.
pub fn is_replaced(felix: Option<&Object>) -> bool {
    felix.and_then(|felix| felix.pointer("/spec/bpfEnabled")) == Some(&Value::Bool(true))
}

/// The merge patch that turns it off or on; none if it is as it should be.
///
/// # Errors
/// If it is not there, or somebody else would undo the change.
pub fn change(live: Option<&Value>, wanted: bool) -> Result<Option<Value>, Message> {
    let live = live.ok_or_else(missing)?;
    let selector = live.pointer("/spec/template/spec/nodeSelector").and_then(|selector| selector.get(LABEL));
    let value = match (wanted, selector) {
        (true, None) => return Ok(None),
        (true, Some(_)) => Value::Null,
        (false, Some(Value::String(value))) if value == "true" => return Ok(None),
        (false, _) => "true".into(),
    };
    match MANAGERS.iter().find_map(|pointer| Some((pointer, live.pointer(pointer)?.as_str()?))) {
        Some((pointer, manager)) => Err(managed_elsewhere(pointer, manager)),
        None => Ok(Some(json!({"spec": {"template": {"spec": {"nodeSelector": {LABEL: value}}}}}))),
    }
}

fn missing() -> Message {
    refused(format!(
        "there is no DaemonSet {KUBE_SYSTEM}/{KUBE_PROXY} to turn off and on; set it to Disabled, and where kube-proxy runs \
         in another way, turn that off yourself"
    ))
}

fn managed_elsewhere(pointer: &str, manager: &str) -> Message {
    let name = pointer.rsplit('/').next().unwrap_or_default().replace("~1", "/");
    refused(format!(
        "DaemonSet {KUBE_SYSTEM}/{KUBE_PROXY} is managed by somebody else ({name}: {manager}), who would undo the change; \
         set it to Disabled, and turn kube-proxy off or on there"
    ))
}

fn refused(detail: String) -> Message {
    let message = Message::new(&codes::INVALID_CONFIGURATION, detail).on("Installation default");
    message.field("spec.calicoNetwork.kubeProxyManagement")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(selector: Value) -> Value {
        json!({"metadata": {"name": "kube-proxy"}, "spec": {"template": {"spec": {"nodeSelector": selector}}}})
    }

    fn laid(live: &Value, wanted: bool) -> Value {
        let patch = change(Some(live), wanted).unwrap();
        patch.map_or(Value::Null, |patch| patch["spec"]["template"]["spec"]["nodeSelector"].clone())
    }

    #[test]
    fn only_one_label_of_its_node_selector_changes() {
        let users = live(json!({"kubernetes.io/os": "linux"}));
        assert_eq!(laid(&users, false), json!({LABEL: "true"}));
        assert_eq!(laid(&users, true), Value::Null, "it runs already");
        let off = live(json!({"kubernetes.io/os": "linux", LABEL: "true"}));
        assert_eq!(laid(&off, false), Value::Null, "it is off already");
        assert_eq!(laid(&off, true), json!({LABEL: null}));
        assert_eq!(laid(&live(json!({LABEL: "no"})), false), json!({LABEL: "true"}));
        assert_eq!(laid(&json!({}), false), json!({LABEL: "true"}), "it has no selector");
    }

    #[test]
    fn what_is_not_there_or_belongs_to_somebody_else_is_told() {
        let told = change(None, false).unwrap_err().to_string();
        assert!(told.starts_with("Installation default spec.calicoNetwork.kubeProxyManagement: there is no"), "{told}");
        for (kind, key) in [
            ("labels", "app.kubernetes.io/managed-by"),
            ("labels", "addonmanager.kubernetes.io/mode"),
            ("annotations", "argocd.argoproj.io/tracking-id"),
        ] {
            let mut owned = live(json!({}));
            owned["metadata"][kind] = json!({key: "Shepherd"});
            let told = change(Some(&owned), false).unwrap_err().to_string();
            assert!(told.contains(&format!("({key}: Shepherd)")), "{told}");
            assert_eq!(change(Some(&owned), true), Ok(None), "nothing to change, nothing to tell");
        }
    }

    #[test]
    fn nodes_replace_it_once_they_are_told_so() {
        let felix = |spec: Value| {
            Object::from_value(json!({"apiVersion": "crd.projectcalico.org/v1", "kind": "FelixConfiguration",
                "metadata": {"name": "default"}, "spec": spec}))
            .unwrap()
        };
        assert!(is_replaced(Some(&felix(json!({"bpfEnabled": true})))));
        assert!(!is_replaced(Some(&felix(json!({"bpfEnabled": false})))));
        assert!(!is_replaced(Some(&felix(json!({})))));
        assert!(!is_replaced(None));
    }
}
