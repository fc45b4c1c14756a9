//! TLS with a certificate that lies in the cluster.

use std::sync::Arc;

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::Secret;
use kube::{Api, Client};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Reads it for each connection, so that a renewed one counts at once. Nobody but kube-apiserver can connect, so it is
/// not asked for a certificate of its own.
pub(super) async fn acceptor(client: &Client, namespace: &str, name: &str) -> Result<TlsAcceptor> {
    let secrets: Api<Secret> = Api::namespaced(client.clone(), namespace);
    let secret = secrets.get(name).await.with_context(|| format!("failed to get Secret {name}"))?;
    config(&secret).map(Into::into).with_context(|| format!("Secret {name} is of no use"))
}

fn config(secret: &Secret) -> Result<Arc<ServerConfig>> {
    let data = |key: &str| {
        let value = secret.data.as_ref().and_then(|data| data.get(key));
        value.map(|value| value.0.as_slice()).with_context(|| format!("{key} is missing"))
    };
    let chain = CertificateDer::pem_slice_iter(data("tls.crt")?).collect::<Result<Vec<_>, _>>();
    let key = PrivateKeyDer::from_pem_slice(data("tls.key")?).context("failed to read the key")?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .context("failed to choose versions of TLS")?
        .with_no_client_auth()
        .with_single_cert(chain.context("failed to read the certificate")?, key)
        .context("certificate and key do not go together")?;
    Ok(Arc::new(config))
}
