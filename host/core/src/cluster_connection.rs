//! The connection to a cluster that manages this one: what guardian's renderer is given beside the Installation's config.

mod address;
#[cfg(test)]
mod tests;

use std::net::{IpAddr, Ipv4Addr};

use chimera_crds::management_cluster_connection::CertificateAuthority;
use chimera_crds::{ManagementClusterConnection, ManagementClusterConnectionSpec};
use serde_json::Value;

pub use address::Address;

use crate::certificates::{Identity, Issuer, KeyPair};
use crate::codes;
use crate::confidential::Confidential;
use crate::env::Env;
use crate::following::{Following, Resource};
use crate::installation::config::{InstallationConfig, Owner};
use crate::installation::inputs::InstallationInputs;
use crate::message::Message;
use crate::names::{CALICO_SYSTEM, GUARDIAN, GUARDIAN_KEY_PAIR, TUNNEL_SECRET};
use crate::overrides::Override;

const KIND: &str = "ManagementClusterConnection";

/// Secrets of the operator's namespace that the component needs: its key pair, which the user may have made first, and the
/// user's credentials for the tunnel.
pub const SECRETS: [&str; 2] = [GUARDIAN_KEY_PAIR, TUNNEL_SECRET];

/// Everything that guardian's renderer needs.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterConnectionConfig {
    resource: Resource,
    /// The Installation's config.
    pub installation: InstallationConfig,
    /// The effective spec.
    pub spec: ManagementClusterConnectionSpec,
    /// The managing cluster's end of the tunnel.
    pub address: Address,
    /// By which authority its certificate is checked.
    pub authority: CertificateAuthority,
    /// The user's credentials for the tunnel, as they are in the operator's namespace.
    pub tunnel: Confidential,
    /// The pair by which guardian identifies itself within this cluster.
    pub key_pair: KeyPair,
    /// What works but deserves a look.
    pub warnings: Vec<Message>,
}

impl ClusterConnectionConfig {
    /// The proxy that the tunnel goes through; an inner none if it stands in a form that only the proxy's clients know.
    pub(crate) fn proxy(&self) -> Option<Option<Address>> {
        let proxy = self.installation.spec.proxy.as_ref()?;
        let text = proxy.https_proxy.as_deref().filter(|text| !text.is_empty())?;
        Some(address::of_url(text))
    }
}

impl Following for ClusterConnectionConfig {
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
        let wanted = self.spec.guardian_deployment.as_ref();
        Override::of_workload("guardianDeployment", ("Deployment", GUARDIAN), wanted).into_iter().collect()
    }
}

/// Whom guardian's certificate names: its Service, and itself from within its pod.
pub fn identity(cluster_domain: &str) -> Identity {
    let mut identity = Identity::of_service(GUARDIAN_KEY_PAIR, GUARDIAN, cluster_domain);
    // The address stands there as a name as well, as in every such certificate that clusters hold already.
    identity.dns_names.extend(["localhost".into(), Ipv4Addr::LOCALHOST.to_string()]);
    identity.addresses.push(IpAddr::V4(Ipv4Addr::LOCALHOST));
    identity.hashed_in = Some(CALICO_SYSTEM);
    identity
}

/// Checks a resource and what it needs beside the Installation, whose config is checked already. `inputs` have the
/// [`SECRETS`].
///
/// # Errors
/// Every problem that was found.
pub fn validate(
    connection: &ManagementClusterConnection,
    owner: Owner,
    inputs: &InstallationInputs,
    installation: InstallationConfig,
    env: Env<'_>,
) -> Result<ClusterConnectionConfig, Vec<Message>> {
    let resource = Resource { kind: KIND, owner };
    let label = resource.label();
    let address = address(&connection.spec, &label);
    let tunnel = tunnel(inputs, &label, env.namespace);
    let pair = pair(inputs, &installation, env);
    match (address, tunnel, pair) {
        (Ok(address), Ok(tunnel), Ok((key_pair, warning))) => {
            let authority = connection.spec.tls.as_ref().and_then(|tls| tls.ca).unwrap_or_default();
            let spec = effective(&connection.spec, authority);
            let warnings = warning.into_iter().chain(impersonation(&connection.spec, &label)).collect();
            Ok(ClusterConnectionConfig { resource, installation, spec, address, authority, tunnel, key_pair, warnings })
        }
        (address, tunnel, pair) => {
            Err([address.err(), tunnel.err(), pair.err()].into_iter().flatten().map(|message| *message).collect())
        }
    }
}

fn effective(
    spec: &ManagementClusterConnectionSpec,
    authority: CertificateAuthority,
) -> ManagementClusterConnectionSpec {
    let mut spec = spec.clone();
    spec.tls.get_or_insert_default().ca = Some(authority);
    spec
}

/// Requests that come through the tunnel have guardian's own rights, and nobody else's.
fn impersonation(spec: &ManagementClusterConnectionSpec, label: &str) -> Option<Message> {
    let detail = "it is set, but guardian takes on nobody's rights here";
    let warning = || Message::new(&codes::FIELD_WITHOUT_EFFECT, detail).on(label).field("spec.impersonation");
    spec.impersonation.as_ref().map(|_| warning())
}

fn address(spec: &ManagementClusterConnectionSpec, label: &str) -> Result<Address, Box<Message>> {
    let text = spec.management_cluster_addr.as_deref().unwrap_or_default();
    text.parse::<Address>().map_err(|error| {
        let message = Message::new(&codes::INVALID_CONFIGURATION, error.to_string()).on(label);
        Box::new(message.field("spec.managementClusterAddr"))
    })
}

/// Nobody but the user can have it: it is made where the managing cluster is.
fn tunnel(inputs: &InstallationInputs, label: &str, namespace: &str) -> Result<Confidential, Box<Message>> {
    inputs.secrets.get(TUNNEL_SECRET).cloned().ok_or_else(|| {
        let detail = format!(
            "there is no Secret {namespace}/{TUNNEL_SECRET} with the credentials for the tunnel; the manifest that the \
             managing cluster made for this one holds it"
        );
        Box::new(Message::new(&codes::NEEDED_RESOURCE_MISSING, detail).on(label))
    })
}

fn pair(
    inputs: &InstallationInputs,
    installation: &InstallationConfig,
    env: Env<'_>,
) -> Result<(KeyPair, Option<Message>), Box<Message>> {
    let management = installation.spec.certificate_management.as_ref();
    let existing = (&inputs.secrets, &inputs.trusted);
    let issuer = Issuer::new(&installation.certificates, management, existing, env);
    let pair = issuer.and_then(|issuer| issuer.pair(&identity(&installation.cluster.domain)));
    pair.map_err(Box::new)
}
