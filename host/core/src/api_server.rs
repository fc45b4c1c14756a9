//! Calico's API server: what its renderer is given beside the Installation's config.

use chimera_crds::api_server::ApiServerSpec;
use chimera_crds::installation::{CniType, Provider};
use serde_json::Value;

use crate::certificates::{Identity, Issuer, KeyPair};
use crate::env::Env;
use crate::following::{Following, Resource};
use crate::installation::config::{ApiGroup, InstallationConfig};
use crate::installation::inputs::InstallationInputs;
use crate::message::Message;
use crate::names::{API_SERVER, API_SERVER_SERVICE, WEBHOOKS};
use crate::overrides::Override;
use crate::render::spec;

/// Key pair by which the API server answers.
pub const API_SERVER_SECRET: &str = "calico-apiserver-certs";
/// Key pair by which the admission webhooks answer.
pub const WEBHOOKS_SECRET: &str = "calico-webhooks-tls";
/// Every Secret of the operator's namespace that a user may have made first.
pub const SECRETS: [&str; 2] = [API_SERVER_SECRET, WEBHOOKS_SECRET];

/// Everything that the renderer of Calico's API server needs, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiServerConfig {
    /// The APIServer.
    pub resource: Resource,
    /// Its spec.
    pub spec: ApiServerSpec,
    /// The Installation's config.
    pub installation: InstallationConfig,
    /// The API server's key pair.
    pub pair: KeyPair,
    /// The webhooks' key pair; none where there are no webhooks.
    pub webhooks_pair: Option<KeyPair>,
    /// Somebody else's APIService stands where the operator's would, which is left alone.
    pub is_answered_by_others: bool,
    /// What works but deserves a look.
    pub warnings: Vec<Message>,
}

impl ApiServerConfig {
    /// Whether Calico's resources are CustomResourceDefinitions that clients use directly, so that they need webhooks
    /// and no server of their own.
    pub fn has_webhooks(&self) -> bool {
        self.installation.cluster.api_group == ApiGroup::V3
    }
}

impl Following for ApiServerConfig {
    fn resource(&self) -> &Resource {
        &self.resource
    }

    fn installation(&self) -> &InstallationConfig {
        &self.installation
    }

    fn key_pairs(&self) -> Vec<&KeyPair> {
        [Some(&self.pair), self.webhooks_pair.as_ref()].into_iter().flatten().collect()
    }

    fn effective(&self) -> Value {
        self.resource.with_spec(&self.spec)
    }

    fn overrides(&self) -> Vec<Override> {
        let deployment = |name| ("Deployment", name);
        let server = self.spec.api_server_deployment.as_ref();
        let webhooks = self.spec.calico_webhooks_deployment.as_ref();
        let all = [
            Override::of_workload("apiServerDeployment", deployment(API_SERVER), server),
            Override::of_workload("calicoWebhooksDeployment", deployment(WEBHOOKS), webhooks),
        ];
        all.into_iter().flatten().collect()
    }
}

/// Checks what the API server needs beside the Installation, whose config is checked already.
///
/// # Errors
/// Every problem that was found.
pub fn validate(
    (resource, spec): (Resource, ApiServerSpec),
    inputs: &InstallationInputs,
    installation: InstallationConfig,
    env: Env<'_>,
) -> Result<ApiServerConfig, Vec<Message>> {
    let domain = installation.cluster.domain.clone();
    let management = installation.spec.certificate_management.clone();
    let existing = (&inputs.secrets, &inputs.trusted);
    let issuer = Issuer::new(&installation.certificates, management.as_ref(), existing, env);
    let issuer = issuer.map_err(|message| vec![message])?;
    let server = issuer.pair(&Identity::of_service(API_SERVER_SECRET, API_SERVER_SERVICE, &domain));
    let has_webhooks = installation.cluster.api_group == ApiGroup::V3;
    let webhooks =
        has_webhooks.then(|| issuer.pair(&Identity::of_service(WEBHOOKS_SECRET, WEBHOOKS, &domain))).transpose();
    let ((pair, warning), webhooks) = match (server, webhooks) {
        (Ok(server), Ok(webhooks)) => (server, webhooks),
        (server, webhooks) => return Err([server.err(), webhooks.err()].into_iter().flatten().collect()),
    };
    let (webhooks_pair, other) = webhooks.unzip();
    let warnings = warning.into_iter().chain(other.flatten()).collect();
    Ok(ApiServerConfig { resource, spec, installation, pair, webhooks_pair, is_answered_by_others: false, warnings })
}

/// Whether the Kubernetes API servers reach pods on the host's network only: on these platforms they run where Calico's
/// CNI plugin does not.
pub(crate) fn is_out_of_reach(installation: &InstallationConfig) -> bool {
    let provider = installation.cluster.provider;
    matches!(provider, Provider::Eks | Provider::Tkg) && spec::cni_type(&installation.spec) == CniType::Calico
}

#[cfg(test)]
mod tests;
