//! What the answers depend on.

use chimera_crds::installation::InstallationSpec;
use serde_json::Value;

use super::applicant::applicants;
use super::{Applicant, SIGNER_NAME};
use crate::following::{Following, Resource};
use crate::installation::config::InstallationConfig;

/// Everything that is needed to answer requests.
#[derive(Clone, Debug, PartialEq)]
pub struct CsrConfig {
    /// The Installation, to which requests belong.
    resource: Resource,
    /// Its config.
    pub installation: InstallationConfig,
    /// Who may ask for what.
    pub applicants: Vec<Applicant>,
}

/// Whether an Installation has pods ask the operator itself for their certificates.
pub fn is_wanted(spec: &InstallationSpec) -> bool {
    spec.certificate_management.as_ref().is_some_and(|management| management.signer_name == SIGNER_NAME)
}

impl CsrConfig {
    /// Of an Installation whose config is checked already.
    pub fn new(installation: InstallationConfig) -> Self {
        let resource = Resource { kind: "Installation", owner: installation.owner.clone() };
        let applicants = applicants(&installation);
        Self { resource, installation, applicants }
    }
}

impl Following for CsrConfig {
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
