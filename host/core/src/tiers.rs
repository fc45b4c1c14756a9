//! The tier of the operator's network policies: what its renderer is given.

use serde_json::Value;

use crate::following::{Following, Resource};
use crate::installation::config::InstallationConfig;

/// The tier follows from the Installation, which is its resource as well.
#[derive(Clone, Debug, PartialEq)]
pub struct TiersConfig {
    resource: Resource,
    installation: InstallationConfig,
}

impl TiersConfig {
    /// For an Installation whose config is checked.
    pub fn new(installation: InstallationConfig) -> Self {
        let resource = Resource { kind: "Installation", owner: installation.owner.clone() };
        Self { resource, installation }
    }
}

impl Following for TiersConfig {
    fn resource(&self) -> &Resource {
        &self.resource
    }

    fn installation(&self) -> &InstallationConfig {
        &self.installation
    }

    fn effective(&self) -> Value {
        self.resource.with_spec(&self.installation.spec)
    }
}
