//! The connection to the API server.

use std::path::Path;
use std::time::Duration;

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

/// The field manager of everything that the operator writes.
pub const FIELD_MANAGER: &str = "chimera";

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file given is missing or broken.
    #[error("failed to read the kubeconfig {path}")]
    Kubeconfig {
        /// The file.
        path: String,
        /// Why.
        #[source]
        source: kube::config::KubeconfigError,
    },
    /// No file given, and neither KUBECONFIG nor a service account helps.
    #[error("failed to find a cluster: give --kubeconfig, set KUBECONFIG, or run in a pod")]
    Infer(#[source] kube::config::InferConfigError),
    /// The config cannot be used.
    #[error("failed to set up the connection to the API server")]
    Client(#[source] kube::Error),
}

/// A client by flag, environment or service account, in this order.
///
/// # Errors
/// If none of them gives a usable config.
pub async fn connect(kubeconfig: Option<&Path>) -> Result<Client, Error> {
    let mut config = match kubeconfig {
        Some(path) => from_file(path).await?,
        None => Config::infer().await.map_err(Error::Infer)?,
    };
    config.connect_timeout = Some(Duration::from_secs(10));
    // Longer than the 290 s after which a watch is renewed.
    config.read_timeout = Some(Duration::from_secs(300));
    config.write_timeout = Some(Duration::from_secs(30));
    Client::try_from(config).map_err(Error::Client)
}

async fn from_file(path: &Path) -> Result<Config, Error> {
    let failed = |source| Error::Kubeconfig { path: path.display().to_string(), source };
    let kubeconfig = Kubeconfig::read_from(path).map_err(failed)?;
    Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.map_err(failed)
}

/// Why a read failed, for an administrator.
pub fn reason(error: &kube::Error, verb: &str) -> String {
    match error {
        kube::Error::Api(status) if status.code == 403 => {
            format!("the operator's ServiceAccount may not {verb} it; grant it that verb")
        }
        kube::Error::Api(status) if status.code == 404 => "the cluster does not serve its kind".into(),
        kube::Error::Api(status) => format!("the API server failed (HTTP {}): {}", status.code, status.message),
        _ => "the API server cannot be reached, or did not answer in time".into(),
    }
}
