//! Says which operator owns this cluster, so that a second one in another namespace stands back.

use k8s_openapi::api::core::v1::ConfigMap;

use crate::names::{ACTIVE_OPERATOR, ACTIVE_OPERATOR_KEY};
use crate::render::meta;

/// The ConfigMap.
pub(super) fn active_operator(namespace: &str) -> ConfigMap {
    ConfigMap {
        metadata: meta::calico_system(ACTIVE_OPERATOR),
        data: Some([(ACTIVE_OPERATOR_KEY.into(), namespace.into())].into()),
        ..ConfigMap::default()
    }
}
