//! Kubeconfig files with everything inline, and clients from them.

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::json;

use crate::certs::Certs;

/// The text of a kubeconfig for a user; JSON, which is YAML as well.
pub(crate) fn text(certs: &Certs, url: &str, user: &str, groups: &[&str]) -> Result<String> {
    let pair = certs.client(user, groups)?;
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "chimera",
        "contexts": [{"name": "chimera", "context": {"cluster": "chimera", "user": user}}],
        "clusters": [{
            "name": "chimera",
            "cluster": {"server": url, "certificate-authority-data": STANDARD.encode(certs.ca())},
        }],
        "users": [{
            "name": user,
            "user": {
                "client-certificate-data": STANDARD.encode(pair.certificate),
                "client-key-data": STANDARD.encode(pair.key),
            },
        }],
    });
    serde_json::to_string_pretty(&config).context("failed to write a kubeconfig")
}

/// A client that acts as the user of a kubeconfig, and asks again where a server is busy.
pub(crate) async fn client(text: &str) -> Result<Client> {
    Client::try_from(config(text).await?).context("failed to make a client")
}

/// As [`client`], but hands on what it is told.
pub(crate) async fn impatient(text: &str) -> Result<Client> {
    let mut config = config(text).await?;
    config.default_retry = false;
    Client::try_from(config).context("failed to make a client")
}

async fn config(text: &str) -> Result<Config> {
    let kubeconfig = Kubeconfig::from_yaml(text).context("failed to read a kubeconfig")?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
    config.context("failed to read a kubeconfig")
}
