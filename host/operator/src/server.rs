//! Health probes and metrics over HTTP.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::metrics::Metrics;
use crate::probes::{Probes, Verdict};

/// The address cannot be served.
#[derive(Debug, thiserror::Error)]
#[error("failed to listen on {address} for {what}: choose another address with {flag}, or 0 for none")]
pub struct Error {
    what: &'static str,
    flag: &'static str,
    address: SocketAddr,
    #[source]
    source: std::io::Error,
}

/// Serves `/healthz` and `/readyz`, see [`Probes`].
///
/// # Errors
/// If the address is taken or not allowed.
pub async fn health(
    address: SocketAddr,
    probes: Probes,
    stop: CancellationToken,
) -> Result<impl Future<Output = ()>, Error> {
    let probes = Arc::new(probes);
    let alive = Arc::clone(&probes);
    let router = Router::new()
        .route("/healthz", get(move || async move { answer(alive.alive()) }))
        .route("/readyz", get(move || async move { answer(probes.ready().await) }));
    serve(address, router, stop, "health probes", "--health-probe-bind-address").await
}

/// Serves `/metrics` in OpenMetrics text.
///
/// # Errors
/// If the address is taken or not allowed.
pub async fn metrics(
    address: SocketAddr,
    metrics: Arc<Metrics>,
    stop: CancellationToken,
) -> Result<impl Future<Output = ()>, Error> {
    let router = Router::new().route("/metrics", get(move || async move { exposition(&metrics) }));
    serve(address, router, stop, "metrics", "--metrics-bind-address").await
}

fn answer(verdict: Verdict) -> (StatusCode, String) {
    match verdict {
        Ok(text) => (StatusCode::OK, format!("ok: {text}\n")),
        Err(faults) => (StatusCode::SERVICE_UNAVAILABLE, faults.join("\n") + "\n"),
    }
}

fn exposition(metrics: &Metrics) -> axum::response::Response {
    let kind = [(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")];
    match metrics.encode() {
        Ok(text) => (kind, text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn serve(
    address: SocketAddr,
    router: Router,
    stop: CancellationToken,
    what: &'static str,
    flag: &'static str,
) -> Result<impl Future<Output = ()>, Error> {
    let listener = TcpListener::bind(address).await.map_err(|source| Error { what, flag, address, source })?;
    let server = axum::serve(listener, router).with_graceful_shutdown(stop.cancelled_owned());
    Ok(async move {
        // A server without state ends only when told to.
        if let Err(error) = server.await {
            tracing::warn!(%error, what, "a server stopped");
        }
    })
}
