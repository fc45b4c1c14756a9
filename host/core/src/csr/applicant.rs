//! Who may ask for what.

use crate::api_server::{API_SERVER_SECRET, WEBHOOKS_SECRET};
use crate::certificates::{Identity, NODE_NAME, NODE_SECRET, TYPHA_NAME, TYPHA_SECRET};
use crate::installation::config::InstallationConfig;
use crate::names::{API_SERVER, API_SERVER_SERVICE, GOLDMANE, GUARDIAN, NODE, TYPHA, WEBHOOKS, WHISKER};
use crate::{cluster_connection, goldmane, whisker};

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

impl Applicant {
    /// A component whose ServiceAccount and label have one name.
    pub(super) fn named(name: &'static str, identity: Identity) -> Self {
        Self { account: name, app: name, identity }
    }
}

/// All of them. Whether a component is there shows by its pods.
pub(super) fn applicants(config: &InstallationConfig) -> Vec<Applicant> {
    let domain = config.cluster.domain.as_str();
    let serves = |secret, service| Identity::of_service(secret, service, domain);
    vec![
        Applicant::named(NODE, Identity::named(NODE_SECRET, NODE_NAME)),
        Applicant::named(TYPHA, Identity::named(TYPHA_SECRET, TYPHA_NAME)),
        Applicant::named(API_SERVER, serves(API_SERVER_SECRET, API_SERVER_SERVICE)),
        Applicant::named(WEBHOOKS, serves(WEBHOOKS_SECRET, WEBHOOKS)),
        Applicant::named(GOLDMANE, goldmane::identity(config)),
        Applicant::named(WHISKER, whisker::identity(domain)),
        Applicant::named(WHISKER, whisker::backend_identity(domain)),
        Applicant::named(GUARDIAN, cluster_connection::identity(domain)),
    ]
}
