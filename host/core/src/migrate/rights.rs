//! What the accounts of the manifest install may do, kept for as long as its pods run.
//!
//! Its ClusterRoles and bindings have the names of the operator's, which replace them. So they are copied before.

use serde_json::{Value, json};

use super::names::{CNI_PLUGIN, KUBE_SYSTEM, NODE};
use crate::object::{Object, ObjectKey};

const RBAC: &str = "rbac.authorization.k8s.io/v1";
/// Names that both installs use.
const SHARED: [&str; 2] = [NODE, CNI_PLUGIN];

/// Names of bindings whose rights are copied, with the names of the copies.
pub fn copied_names() -> [(&'static str, String); 2] {
    SHARED.map(|name| (name, format!("{name}-manifest-install")))
}

/// Copies of a binding and of its role, none if accounts of `kube-system` have nothing from it (any more).
pub fn rights(binding: &Value, role: &Value, copy: &str) -> Option<[Object; 2]> {
    let subjects = binding.get("subjects").and_then(Value::as_array).into_iter().flatten();
    let old = |subject: &&Value| subject.get("namespace").and_then(Value::as_str) == Some(KUBE_SYSTEM);
    let subjects: Vec<_> = subjects.filter(old).cloned().collect();
    if subjects.is_empty() {
        return None;
    }
    // Watched like everything that the operator creates, so that a copy that was left is seen.
    let metadata = json!({"name": copy, "labels": {"app.kubernetes.io/managed-by": "tigera-operator"}});
    let role = json!({
        "apiVersion": RBAC, "kind": "ClusterRole", "metadata": metadata, "rules": role.get("rules")?,
    });
    let role_ref = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": copy});
    let binding = json!({
        "apiVersion": RBAC, "kind": "ClusterRoleBinding", "metadata": metadata, "roleRef": role_ref,
        "subjects": subjects,
    });
    Some([Object::from_value(role).ok()?, Object::from_value(binding).ok()?])
}

/// Names of all copies.
pub(super) fn copies() -> Vec<ObjectKey> {
    let kinds = |copy: &str| {
        [ObjectKey::cluster(RBAC, "ClusterRoleBinding", copy), ObjectKey::cluster(RBAC, "ClusterRole", copy)]
    };
    copied_names().iter().flat_map(|(_, copy)| kinds(copy)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_accounts_of_kube_system_have_is_copied() {
        let subject =
            |namespace: &str| json!({"kind": "ServiceAccount", "name": "calico-node", "namespace": namespace});
        let binding = json!({"subjects": [subject("kube-system"), subject("calico-system")]});
        let role = json!({"rules": [{"verbs": ["get"]}]});
        let [copy, of_binding] = rights(&binding, &role, "calico-node-manifest-install").unwrap();
        assert_eq!(copy.fields()["rules"], role["rules"]);
        assert_eq!(of_binding.fields()["subjects"], json!([subject("kube-system")]));
        assert_eq!(rights(&json!({"subjects": [subject("calico-system")]}), &role, "x"), None);
    }
}
