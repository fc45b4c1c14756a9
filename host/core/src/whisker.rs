//! Whisker: the web console for flows. Its config.

use std::net::{IpAddr, Ipv4Addr};

use chimera_crds::installation::Toggle;
use chimera_crds::projectcalico::ClusterInformationSpec;
use chimera_crds::whisker::{Whisker, WhiskerSpec};
use serde_json::Value;

use crate::certificates::{
    GOLDMANE_SECRET, Identity, Issuer, KeyPair, TrustedBundle, WHISKER_BACKEND_SECRET, WHISKER_SECRET, service_names,
};
use crate::codes;
use crate::env::Env;
use crate::following::{Following, Resource};
use crate::installation::config::{InstallationConfig, Owner};
use crate::installation::inputs::InstallationInputs;
use crate::message::Message;
use crate::names::{CALICO_SYSTEM, WHISKER, WHISKER_BACKEND, WHISKER_CA_BUNDLE};
use crate::overrides::Override;

/// Kind of its resource.
pub const KIND: &str = "Whisker";
/// Secrets of the operator's namespace that matter: its own pairs, and that of the service it asks.
pub const SECRETS: [&str; 3] = [WHISKER_SECRET, WHISKER_BACKEND_SECRET, GOLDMANE_SECRET];

/// Everything that the renderer needs.
#[derive(Clone, Debug, PartialEq)]
pub struct WhiskerConfig {
    /// Its resource.
    pub resource: Resource,
    /// The Installation's config.
    pub installation: InstallationConfig,
    /// The effective spec; `notifications` is always set.
    pub spec: WhiskerSpec,
    /// By which the console identifies itself to browsers.
    pub key_pair: KeyPair,
    /// By which the backend identifies itself to Goldmane and to the console.
    pub backend_key_pair: KeyPair,
    /// By which the backend knows Goldmane.
    pub bundle: TrustedBundle,
    /// What the cluster's Calico says about itself; the console shows it.
    pub cluster: ClusterInformationSpec,
    /// What works but deserves a look.
    pub warnings: Vec<Message>,
}

impl Following for WhiskerConfig {
    fn resource(&self) -> &Resource {
        &self.resource
    }

    fn installation(&self) -> &InstallationConfig {
        &self.installation
    }

    fn key_pairs(&self) -> Vec<&KeyPair> {
        vec![&self.key_pair, &self.backend_key_pair]
    }

    fn effective(&self) -> Value {
        self.resource.with_spec(&self.spec)
    }

    fn overrides(&self) -> Vec<Override> {
        let deployment = self.spec.whisker_deployment.as_ref();
        Override::of_workload("whiskerDeployment", ("Deployment", WHISKER), deployment).into_iter().collect()
    }
}

/// Works out the config. `inputs`: of the Installation, with the [`SECRETS`] that there are; `cluster`: of
/// ClusterInformation `default`, if it is there.
///
/// # Errors
/// One message for each Secret that cannot be used, and one if the machine fails to issue.
pub fn validate(
    whisker: &Whisker,
    installation: InstallationConfig,
    inputs: &InstallationInputs,
    cluster: Option<ClusterInformationSpec>,
    env: Env<'_>,
) -> Result<WhiskerConfig, Vec<Message>> {
    let domain = &installation.cluster.domain;
    let issuer = Issuer::of(&installation, inputs, env).map_err(|message| vec![message])?;
    let pairs = (issuer.pair(&identity(domain)), issuer.pair(&backend_identity(domain)));
    let ((key_pair, warning), (backend_key_pair, other)) = match pairs {
        (Ok(console), Ok(backend)) => (console, backend),
        (console, backend) => return Err([console.err(), backend.err()].into_iter().flatten().collect()),
    };
    let bundle = installation.certificates.bundle.private(WHISKER_CA_BUNDLE);
    Ok(WhiskerConfig {
        resource: Resource { kind: KIND, owner: Owner::of(&whisker.metadata) },
        bundle: bundle.with_users(&inputs.secrets, &[GOLDMANE_SECRET]),
        installation,
        spec: effective(&whisker.spec),
        key_pair,
        backend_key_pair,
        cluster: cluster.unwrap_or_default(),
        warnings: warning.into_iter().chain(other).collect(),
    })
}

/// What is wrong where there is no Goldmane.
pub fn without_goldmane(whisker: &str) -> Message {
    let detail = "it shows what Goldmane collects, and there is no Goldmane `default`";
    Message::new(&codes::NEEDED_RESOURCE_MISSING, detail).on(format!("{KIND} {whisker}"))
}

fn effective(spec: &WhiskerSpec) -> WhiskerSpec {
    WhiskerSpec { notifications: Some(spec.notifications.unwrap_or(Toggle::Enabled)), ..spec.clone() }
}

/// Browsers come by a forwarded port, and so by a name of their own host.
pub(crate) fn identity(domain: &str) -> Identity {
    Identity {
        dns_names: std::iter::once(LOCALHOST.to_owned()).chain(service_names(WHISKER, domain)).collect(),
        hashed_in: Some(CALICO_SYSTEM),
        ..Identity::named(WHISKER_SECRET, LOCALHOST)
    }
}

/// The console reaches it within their pod.
pub(crate) fn backend_identity(domain: &str) -> Identity {
    let address = Ipv4Addr::LOCALHOST;
    let names = std::iter::once(LOCALHOST.to_owned()).chain(service_names(WHISKER_BACKEND, domain));
    Identity {
        dns_names: names.chain([address.to_string()]).collect(),
        addresses: vec![IpAddr::V4(address)],
        hashed_in: Some(CALICO_SYSTEM),
        ..Identity::named(WHISKER_BACKEND_SECRET, &address.to_string())
    }
}

const LOCALHOST: &str = "localhost";

#[cfg(test)]
mod tests;
