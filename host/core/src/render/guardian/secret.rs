//! The copy of the user's credentials. The original stays untouched in the operator's namespace.

use k8s_openapi::api::core::v1::Secret;

use crate::names::TUNNEL_SECRET;
use crate::render::meta;

/// The copy.
pub(super) fn tunnel(original: &Secret) -> Secret {
    Secret {
        metadata: meta::calico_system(TUNNEL_SECRET),
        data: original.data.clone(),
        type_: original.type_.clone(),
        ..Secret::default()
    }
}
