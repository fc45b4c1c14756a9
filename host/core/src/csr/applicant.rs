//! Who may ask for what.

use crate::certificates::{Identity, NODE_NAME, NODE_SECRET, TYPHA_NAME, TYPHA_SECRET};
use crate::installation::config::InstallationConfig;
use crate::names::{NODE, TYPHA};

/// A component whose pods ask for a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applicant {
    /// Its ServiceAccount, in the namespace that Calico runs in.
    pub account: &'static str,
    /// Value of the label `k8s-app` that its pods carry.
    pub app: &'static str,
    /// Whom its certificates name. The address of the pod comes on top.
    pub identity: Identity,
}

/// All of them.
pub fn applicants(_config: &InstallationConfig) -> Vec<Applicant> {
    vec![
        Applicant { account: NODE, app: NODE, identity: Identity::named(NODE_SECRET, NODE_NAME) },
        Applicant { account: TYPHA, app: TYPHA, identity: Identity::named(TYPHA_SECRET, TYPHA_NAME) },
    ]
}
