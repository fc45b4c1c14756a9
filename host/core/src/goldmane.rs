//! Goldmane: the service that collects flows from all nodes. Its config, and what nodes must know of it.

use chimera_crds::goldmane::{Goldmane, GoldmaneSpec};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::certificates::{GOLDMANE_SECRET, Identity, Issuer, KeyPair, TrustedBundle, WHISKER_BACKEND_SECRET};
use crate::env::Env;
use crate::following::{Following, Resource};
use crate::installation::config::{InstallationConfig, Owner};
use crate::installation::inputs::InstallationInputs;
use crate::message::Message;
use crate::names::{CALICO_SYSTEM, GOLDMANE, GOLDMANE_CA_BUNDLE, GOLDMANE_PORT};
use crate::overrides::Override;

/// Kind of its resource.
pub const KIND: &str = "Goldmane";
/// Secrets of the operator's namespace that matter: its own pair, and that of a client.
pub const SECRETS: [&str; 2] = [GOLDMANE_SECRET, WHISKER_BACKEND_SECRET];

/// So long a fresh install holds calico-node back for Goldmane's address. It is there within a second, unless Goldmane
/// itself cannot be served, and nodes must not wait for that.
const GRACE: SignedDuration = SignedDuration::from_secs(15);

/// Everything that the renderer needs.
#[derive(Clone, Debug, PartialEq)]
pub struct GoldmaneConfig {
    /// Its resource.
    pub resource: Resource,
    /// The Installation's config.
    pub installation: InstallationConfig,
    /// What the user wrote.
    pub spec: GoldmaneSpec,
    /// By which it identifies itself to clients.
    pub key_pair: KeyPair,
    /// By which it knows clients.
    pub bundle: TrustedBundle,
    /// Whether a tunnel to a managing cluster is asked for, to which flows are passed on.
    pub is_managed: bool,
    /// What works but deserves a look.
    pub warnings: Vec<Message>,
}

impl GoldmaneConfig {
    /// TCP port of its metrics, if it serves them.
    pub(crate) fn metrics_port(&self) -> Option<i32> {
        self.spec.metrics_port.filter(|port| *port != 0)
    }
}

impl Following for GoldmaneConfig {
    fn resource(&self) -> &Resource {
        &self.resource
    }

    fn installation(&self) -> &InstallationConfig {
        &self.installation
    }

    fn key_pairs(&self) -> Vec<&KeyPair> {
        vec![&self.key_pair]
    }

    fn effective(&self) -> Value {
        self.resource.with_spec(&self.spec)
    }

    fn overrides(&self) -> Vec<Override> {
        let deployment = self.spec.goldmane_deployment.as_ref();
        Override::of_workload("goldmaneDeployment", ("Deployment", GOLDMANE), deployment).into_iter().collect()
    }
}

/// Works out the config. `inputs`: of the Installation, with the [`SECRETS`] that there are; `is_managed`: whether a
/// ManagementClusterConnection is there.
///
/// # Errors
/// One message for each Secret that cannot be used, and one if the machine fails to issue.
pub fn validate(
    goldmane: &Goldmane,
    installation: InstallationConfig,
    inputs: &InstallationInputs,
    is_managed: bool,
    env: Env<'_>,
) -> Result<GoldmaneConfig, Vec<Message>> {
    let issued = Issuer::of(&installation, inputs, env).and_then(|issuer| issuer.pair(&identity(&installation)));
    let (key_pair, warning) = issued.map_err(|message| vec![message])?;
    let bundle = installation.certificates.bundle.private(GOLDMANE_CA_BUNDLE);
    let bundle = bundle.with_users(&inputs.secrets, &[WHISKER_BACKEND_SECRET]);
    Ok(GoldmaneConfig {
        resource: Resource { kind: KIND, owner: Owner::of(&goldmane.metadata) },
        installation,
        spec: goldmane.spec.clone(),
        key_pair,
        bundle,
        is_managed,
        warnings: warning.into_iter().collect(),
    })
}

/// Whom its certificate names.
pub(crate) fn identity(installation: &InstallationConfig) -> Identity {
    Identity::of_service(GOLDMANE_SECRET, GOLDMANE, &installation.cluster.domain)
}

/// What nodes must know of Goldmane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collector {
    /// Address of its Service, by which pods on the host's network reach it: the cluster's DNS is none of theirs.
    pub address: Option<String>,
    /// Whether calico-node waits for the address, so that a fresh install starts it once and not twice.
    pub is_awaited: bool,
}

impl Collector {
    /// Of a running cluster: none where nodes are to run without, be it for now. `is_fresh`: calico-node is not there
    /// yet; `since`: when the last of the resources was created that it follows from; `now`: the time.
    pub fn live(address: Option<String>, is_fresh: bool, since: Option<Timestamp>, now: Timestamp) -> Option<Self> {
        let is_young = since.is_some_and(|since| now.duration_since(since) < GRACE);
        let is_awaited = address.is_none() && is_fresh && is_young;
        (address.is_some() || is_awaited).then_some(Self { address, is_awaited })
    }
}

/// Name by which nodes reach it, without the cluster's domain, which hosts do not know.
pub(crate) fn host() -> String {
    format!("{GOLDMANE}.{CALICO_SYSTEM}.svc")
}

/// The same with its port.
pub(crate) fn host_and_port() -> String {
    format!("{}:{GOLDMANE_PORT}", host())
}

#[cfg(test)]
mod tests;
