//! The proxy that kube-apiserver asks by `CONNECT`.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use kube::Client;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;

use super::Behaviour;
use super::target::{self, End};

/// What the tunnels need.
pub(super) struct Cluster {
    pub(super) client: Client,
    pub(super) api: watch::Receiver<Behaviour>,
    pub(super) webhooks: watch::Receiver<Behaviour>,
}

/// Takes connections for ever.
pub(super) async fn serve(listener: UnixListener, cluster: Arc<Cluster>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(serve_one(stream, cluster.clone()))),
            // Too many open files, say; the next may fare better.
            Err(_) => tokio::task::yield_now().await,
        }
    }
}

async fn serve_one(stream: UnixStream, cluster: Arc<Cluster>) {
    let service = service_fn(move |request| {
        let cluster = cluster.clone();
        async move { Ok::<_, Infallible>(connect(request, &cluster).await) }
    });
    // That the other side went away is its own business.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).with_upgrades().await;
}

async fn connect(request: Request<Incoming>, cluster: &Cluster) -> Response<Empty<Bytes>> {
    let address = request.uri().authority().map(ToString::to_string).filter(|_| request.method() == Method::CONNECT);
    let Some(address) = address else { return status(StatusCode::METHOD_NOT_ALLOWED) };
    match target::open(&address, cluster).await {
        Ok(end) => {
            tokio::spawn(join(request, end));
            status(StatusCode::OK)
        }
        Err(_) => status(StatusCode::BAD_GATEWAY),
    }
}

async fn join(request: Request<Incoming>, end: End) {
    if let Ok(tunnel) = hyper::upgrade::on(request).await {
        end.join(TokioIo::new(tunnel)).await;
    }
}

fn status(status: StatusCode) -> Response<Empty<Bytes>> {
    let mut response = Response::new(Empty::new());
    *response.status_mut() = status;
    response
}
