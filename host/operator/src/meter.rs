//! Counts what goes over the connection, below everything that may send a request.

use std::sync::Arc;

use http::{Method, Request, Response};
use kube::Client;
use kube::client::Body;
use tower::{BoxError, service_fn};
use tracing::debug;

use crate::apply::kind_of;
use crate::metrics::Metrics;

/// Kinds that others than apply write, with their plurals.
const OTHERS: [(&str, &str); 6] = [
    ("events", "Event"),
    ("installations", "Installation"),
    ("leases", "Lease"),
    ("networks", "Network"),
    ("nodes", "Node"),
    ("tigerastatuses", "TigeraStatus"),
];

/// A client whose requests are counted, and whose answers are signs of life.
pub fn around(client: Client, metrics: &Arc<Metrics>) -> Client {
    let (namespace, metrics) = (client.default_namespace().to_owned(), Arc::clone(metrics));
    Client::new(service_fn(move |request| pass(client.clone(), Arc::clone(&metrics), request)), namespace)
}

async fn pass(client: Client, metrics: Arc<Metrics>, request: Request<Body>) -> Result<Response<Body>, BoxError> {
    let call = Call::of(&request);
    match client.send(request).await {
        Ok(response) => {
            call.answered(&metrics, response.status().as_u16());
            Ok(response)
        }
        Err(error) => {
            metrics.request_failed(call.verb, "none");
            Err(error.into())
        }
    }
}

/// A request, as metrics name it.
#[derive(Debug, PartialEq, Eq)]
struct Call {
    verb: &'static str,
    kind: &'static str,
    /// Whether it is to change what is stored.
    writes: bool,
    path: String,
}

impl Call {
    fn of(request: &Request<Body>) -> Self {
        let query = request.uri().query().unwrap_or_default();
        let has = |wanted: &str| query.split('&').any(|pair| pair == wanted);
        let verb = match *request.method() {
            Method::GET if has("watch=true") => "watch",
            Method::GET => "get",
            Method::POST => "create",
            Method::PUT => "update",
            Method::PATCH => "patch",
            Method::DELETE => "delete",
            _ => "other",
        };
        let path = request.uri().path();
        Self {
            verb,
            kind: kind(path),
            writes: !["get", "watch"].contains(&verb) && !has("dryRun=All"),
            path: path.into(),
        }
    }

    fn answered(&self, metrics: &Metrics, code: u16) {
        // What fails on the way or in the server is no sign of its life.
        if code < 500 {
            metrics.vitals().answered();
        }
        // To find nothing is an answer like any other.
        let found_nothing = code == 404 && !self.writes;
        if code >= 400 && !found_nothing {
            metrics.request_failed(self.verb, &code.to_string());
        } else if code < 400 && self.writes {
            metrics.wrote(self.verb, self.kind);
            debug!(verb = self.verb, path = self.path, "wrote");
        }
    }
}

/// Kind of what a path names, or `other`: plugins may bring kinds that are not known here.
fn kind(path: &str) -> &'static str {
    let mut parts = path.trim_matches('/').split('/').peekable();
    if parts.next() == Some("apis") {
        parts.next();
    }
    parts.next();
    let rest: Vec<_> = parts.collect();
    let plural = match rest.as_slice() {
        ["namespaces", _, plural, ..] | [plural, ..] => plural,
        [] => return "other",
    };
    let other = OTHERS.iter().find(|(known, _)| known == plural).map(|(_, kind)| *kind);
    other.or_else(|| kind_of(plural)).unwrap_or("other")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_known_by_the_kind_of_what_it_names() {
        for (path, want) in [
            ("/api/v1/namespaces", "Namespace"),
            ("/api/v1/namespaces/meadow", "Namespace"),
            ("/api/v1/namespaces/meadow/secrets/wool", "Secret"),
            ("/apis/apps/v1/namespaces/meadow/daemonsets", "DaemonSet"),
            ("/apis/operator.tigera.io/v1/tigerastatuses/calico/status", "TigeraStatus"),
            ("/apis/farm.example/v1/sheep/dolly", "other"),
            ("/version", "other"),
        ] {
            assert_eq!(kind(path), want, "{path}");
        }
    }

    #[test]
    fn a_trial_is_no_write() {
        let call = |method: &str, uri: &str| {
            Call::of(&Request::builder().method(method).uri(uri).body(Body::empty()).unwrap())
        };
        assert!(call("PUT", "/api/v1/namespaces/meadow").writes);
        assert!(!call("PUT", "/api/v1/namespaces/meadow?dryRun=All&fieldManager=chimera").writes);
        assert_eq!(call("GET", "/api/v1/nodes?watch=true").verb, "watch");
    }
}
