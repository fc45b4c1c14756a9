//! What Goldmane reads again when it changes, without a restart.

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;

use crate::names::GOLDMANE;
use crate::render::meta;

/// Key of the file in the ConfigMap.
pub(super) const FILE: &str = "config.json";

/// The ConfigMap. `is_managed`: flows are passed on to the cluster that manages this one.
pub(super) fn goldmane(is_managed: bool) -> ConfigMap {
    ConfigMap {
        metadata: meta::calico_system(GOLDMANE),
        data: Some([(FILE.into(), json!({"emitFlows": is_managed}).to_string())].into()),
        ..ConfigMap::default()
    }
}
