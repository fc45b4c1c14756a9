//! Copies of the user's pull secrets. The originals stay untouched in the operator's namespace.

use k8s_openapi::api::core::v1::Secret;

use crate::render::meta;

/// The copy.
pub(super) fn copy(original: &Secret) -> Secret {
    let name = original.metadata.name.as_deref().unwrap_or_default();
    Secret {
        metadata: meta::calico_system(name),
        data: original.data.clone(),
        type_: original.type_.clone(),
        ..Secret::default()
    }
}
