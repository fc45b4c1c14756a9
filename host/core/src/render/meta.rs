//! Metadata of objects. Standard labels and owner references are laid on later, by the uniform policies.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::names::{CALICO_SYSTEM, CNI_FINALIZER};

/// Of an object in the namespace that Calico runs in.
pub(crate) fn calico_system(name: &str) -> ObjectMeta {
    namespaced(CALICO_SYSTEM, name)
}

/// Of an object in a namespace.
pub(crate) fn namespaced(namespace: &str, name: &str) -> ObjectMeta {
    ObjectMeta { namespace: Some(namespace.into()), ..cluster(name) }
}

/// Of a cluster-scoped object.
pub(crate) fn cluster(name: &str) -> ObjectMeta {
    ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() }
}

/// Keeps the object until the CNI plugin is no longer in use: without it, pods could not be taken down.
pub(crate) fn protecting_cni(metadata: ObjectMeta) -> ObjectMeta {
    ObjectMeta { finalizers: Some(vec![CNI_FINALIZER.into()]), ..metadata }
}
