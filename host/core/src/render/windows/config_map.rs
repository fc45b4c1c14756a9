//! The CNI configuration that Windows nodes install.

use k8s_openapi::api::core::v1::ConfigMap;

use super::cni_config;
use crate::names::{CNI_CONFIG_KEY, CNI_CONFIG_WINDOWS};
use crate::render::{Error, meta, spec};
use crate::windows::WindowsConfig;

/// The ConfigMap; none if another CNI plugin than Calico's is in use.
pub(super) fn cni_config(config: &WindowsConfig) -> Result<Option<ConfigMap>, Error> {
    let Some(cni) = spec::calico_cni(&config.installation.spec) else { return Ok(None) };
    let text = cni_config::text(config, cni).map_err(Error::CniConfig)?;
    Ok(Some(ConfigMap {
        metadata: meta::calico_system(CNI_CONFIG_WINDOWS),
        data: Some([(CNI_CONFIG_KEY.into(), text)].into()),
        ..ConfigMap::default()
    }))
}
