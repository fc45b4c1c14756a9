//! The connection to the API server.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use http::{Method, Request, Response, Uri};
use kube::client::Body;
use kube::client::retry::RetryPolicy;
use kube::config::{KubeConfigOptions, Kubeconfig, KubeconfigError};
use kube::runtime::watcher;
use kube::{Client, Config};
use tokio::time::{Instant, sleep_until, timeout};
use tower::retry::RetryLayer;
use tower::{BoxError, Layer as _, ServiceExt as _, service_fn};

/// The field manager of everything that the operator writes.
pub const FIELD_MANAGER: &str = "chimera";

/// Every request but a watch is answered within this time, or has failed. The API server itself gives up after 34 s.
const ANSWER: Duration = Duration::from_secs(40);
/// First wait before a read is sent again that the API server was too busy for; it doubles.
const FIRST_RETRY: Duration = Duration::from_millis(200);
/// Longest wait, unless the API server names a time.
const LAST_RETRY: Duration = Duration::from_secs(2);
/// So often it is sent again. What lasts longer is the controllers' matter: they say so in the status meanwhile.
const RETRIES: u32 = 3;

/// A watch begins to be answered within this time, even if nothing happens.
const WATCH_BEGINS: Duration = Duration::from_secs(10);
/// A watch is begun at most this often.
const WATCH_EVERY: Duration = Duration::from_secs(1);

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file given is missing or broken.
    #[error("failed to read the kubeconfig {path}: {reason}")]
    Kubeconfig {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// No file given, and neither KUBECONFIG nor a service account helps.
    #[error("failed to find a cluster: give --kubeconfig, set KUBECONFIG, or run in a pod ({0})")]
    Infer(String),
    /// The config cannot be used.
    #[error("failed to set up the connection to the API server: {0}")]
    Client(String),
}

/// A client by flag, environment or service account, in this order.
///
/// # Errors
/// If none of them gives a usable config.
pub async fn connect(kubeconfig: Option<&Path>) -> Result<Client, Error> {
    let mut config = match kubeconfig {
        Some(path) => from_file(path).await?,
        None => Config::infer().await.map_err(|error| Error::Infer(inferred(&error)))?,
    };
    config.connect_timeout = Some(Duration::from_secs(10));
    // Longer than the 290 s after which a watch is renewed.
    config.read_timeout = Some(Duration::from_secs(300));
    config.write_timeout = Some(Duration::from_secs(30));
    // By default it would go on for minutes, and a controller stand still meanwhile.
    config.default_retry = false;
    Client::try_from(config).map(layered).map_err(|error| Error::Client(innermost(&error)))
}

/// Bounds every request in time, and sends a read again a few times if the API server is too busy for it. A write is
/// the controllers' matter: what is to be written may be another by then.
pub fn layered(client: Client) -> Client {
    let namespace = client.default_namespace().to_owned();
    let policy = RetryPolicy::new(FIRST_RETRY, LAST_RETRY, RETRIES, true).unwrap_or_default();
    let pace = Pace::default();
    let bounded = service_fn(move |request| bounded(client.clone(), pace.clone(), request));
    let patient = RetryLayer::new(policy).layer(bounded.clone());
    let service = service_fn(move |request: Request<Body>| {
        if request.method() == Method::GET {
            return patient.clone().oneshot(request).left_future();
        }
        bounded.clone().oneshot(request).right_future()
    });
    Client::new(service, namespace)
}

async fn bounded(client: Client, pace: Pace, request: Request<Body>) -> Result<Response<Body>, BoxError> {
    let query = request.uri().query().unwrap_or_default();
    if query.split('&').any(|pair| pair == "watch=true") {
        pace.keep(request.uri()).await;
        return Ok(timeout(WATCH_BEGINS, client.send(request)).await??);
    }
    Ok(timeout(ANSWER, client.send(request)).await??)
}

/// When each watch was last begun. One that ends at once, as behind a proxy that cuts it off, is begun again without
/// a pause by what runs it.
#[derive(Clone, Default)]
struct Pace(Arc<Mutex<BTreeMap<String, Instant>>>);

impl Pace {
    async fn keep(&self, watch: &Uri) {
        sleep_until(self.next(watch)).await;
    }

    fn next(&self, watch: &Uri) -> Instant {
        let lasting = |pair: &&str| !pair.starts_with("resourceVersion=");
        let what: Vec<_> = watch.query().unwrap_or_default().split('&').filter(lasting).collect();
        let key = format!("{}?{}", watch.path(), what.join("&"));
        let mut begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = begun.get(&key).map_or_else(Instant::now, |last| Instant::now().max(*last + WATCH_EVERY));
        begun.insert(key, next);
        next
    }
}

async fn from_file(path: &Path) -> Result<Config, Error> {
    let failed = |error: KubeconfigError| {
        let reason = match &error {
            // The rest of it shows the file, which holds secrets.
            KubeconfigError::Parse(error) => first_line(&error.to_string()),
            error => innermost(error),
        };
        Error::Kubeconfig { path: path.display().to_string(), reason }
    };
    let kubeconfig = Kubeconfig::read_from(path).map_err(failed)?;
    Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.map_err(failed)
}

/// What is at the bottom of an error: those above it repeat what is below them.
fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    std::iter::successors(Some(error), |error| error.source()).last().map_or_else(String::new, ToString::to_string)
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

/// What was found instead of a cluster: more often a kubeconfig that is wrong than a service account.
fn inferred(error: &kube::config::InferConfigError) -> String {
    let below = std::error::Error::source(error).and_then(|error| error.downcast_ref::<KubeconfigError>());
    match below {
        Some(KubeconfigError::ReadConfig(source, path)) => format!("{}: {source}", path.display()),
        Some(KubeconfigError::Parse(error)) => format!("the kubeconfig is no YAML: {}", first_line(&error.to_string())),
        Some(KubeconfigError::CurrentContextNotSet) => "the kubeconfig has no current context".into(),
        _ => innermost(error),
    }
}

/// Why a read failed, for an administrator.
pub fn reason(error: &kube::Error, verb: &str) -> String {
    match error {
        kube::Error::Api(status) if status.code == 403 => {
            format!("the operator's ServiceAccount may not {verb} it; grant it that verb")
        }
        kube::Error::Api(status) if status.code == 401 => {
            "the API server does not accept the operator's credentials; renew the token or certificate that it uses"
                .into()
        }
        kube::Error::Api(status) if status.code == 404 => "the cluster does not serve its kind".into(),
        kube::Error::Api(status) => format!("the API server failed (HTTP {}): {}", status.code, status.message),
        _ => "the API server cannot be reached, or did not answer in time".into(),
    }
}

/// Why a watch failed, for an administrator.
pub fn watch_reason(error: &watcher::Error) -> String {
    match error {
        watcher::Error::InitialListFailed(error) => reason(error, "list"),
        watcher::Error::WatchStartFailed(error) | watcher::Error::WatchFailed(error) => reason(error, "watch"),
        watcher::Error::WatchError(status) => {
            format!("the API server ended it (HTTP {}): {}", status.code, status.message)
        }
        watcher::Error::NoResourceVersion => "the API server's answer has no resource version".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_wrong_with_a_kubeconfig_is_said_once() {
        let missing = connect(Some(Path::new("missing.yaml"))).await.err().unwrap().to_string();
        assert_eq!(missing, "failed to read the kubeconfig missing.yaml: No such file or directory (os error 2)");
        let (folder, file) = (env!("CARGO_MANIFEST_DIR"), concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        for path in [folder, file] {
            let error = connect(Some(Path::new(path))).await.err().unwrap().to_string();
            assert_eq!(error.matches("failed").count(), 1, "{error}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_that_is_begun_again_at_once_waits_and_another_one_does_not() {
        let (pace, begun) = (Pace::default(), Instant::now());
        let sheep = |version: &str| format!("/api/v1/sheep?watch=true&resourceVersion={version}").parse().unwrap();
        pace.keep(&sheep("1")).await;
        pace.keep(&"/api/v1/goats?watch=true&resourceVersion=1".parse().unwrap()).await;
        assert_eq!(begun.elapsed(), Duration::ZERO);
        pace.keep(&sheep("2")).await;
        assert_eq!(begun.elapsed(), WATCH_EVERY);
    }
}
