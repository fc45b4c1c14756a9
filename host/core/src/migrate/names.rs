//! Names that a manifest install has, and the label that nodes carry while they move.

use crate::object::ObjectKey;

/// The namespace of a manifest install.
pub const KUBE_SYSTEM: &str = "kube-system";
/// calico-node: the DaemonSet whose existence means that there is a manifest install.
pub const NODE: &str = "calico-node";
/// The Deployment of the controllers.
pub const KUBE_CONTROLLERS: &str = "calico-kube-controllers";
/// The Deployment and the Service of Typha.
pub const TYPHA: &str = "calico-typha";
/// The account of the CNI plugin.
pub const CNI_PLUGIN: &str = "calico-cni-plugin";
/// The ConfigMap with what manifests let users choose.
pub const CONFIG: &str = "calico-config";
/// The ConfigMap with the API server's address.
pub const SERVICES_ENDPOINT: &str = "kubernetes-services-endpoint";
/// The DaemonSet of an install that leaves networking to flannel.
pub const CANAL: &str = "canal";

/// Says on a node which of the two installs serves it.
pub const LABEL: &str = "projectcalico.org/operator-node-migration";
/// The node is served by the manifest install.
pub const PRE_OPERATOR: &str = "pre-operator";
/// The node is served by the operator's install.
pub const MIGRATED: &str = "migrated";

/// The DaemonSet of a manifest install.
pub fn node() -> ObjectKey {
    apps("DaemonSet", NODE)
}

/// The Deployment of the controllers.
pub fn kube_controllers() -> ObjectKey {
    apps("Deployment", KUBE_CONTROLLERS)
}

/// The Deployment of Typha.
pub fn typha() -> ObjectKey {
    apps("Deployment", TYPHA)
}

/// What users chose.
pub fn config() -> ObjectKey {
    ObjectKey::namespaced("v1", "ConfigMap", KUBE_SYSTEM, CONFIG)
}

/// The API server's address.
pub fn services_endpoint() -> ObjectKey {
    ObjectKey::namespaced("v1", "ConfigMap", KUBE_SYSTEM, SERVICES_ENDPOINT)
}

/// The DaemonSet with flannel.
pub fn canal() -> ObjectKey {
    apps("DaemonSet", CANAL)
}

fn apps(kind: &str, name: &str) -> ObjectKey {
    ObjectKey::namespaced("apps/v1", kind, KUBE_SYSTEM, name)
}
