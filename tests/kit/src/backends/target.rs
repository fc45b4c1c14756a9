//! What an address leads to.

use std::net::IpAddr;

use anyhow::{Context, Result, bail};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use ipnet::IpNet;
use k8s_openapi::api::core::v1::Service;
use kube::{Api, Client};
use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use super::egress::Cluster;
use super::{Behaviour, api, reply, tls, webhooks};
use crate::SERVICE_RANGE;

/// Where Calico's components are.
const NAMESPACE: &str = "calico-system";

/// A backend that is played here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Backend {
    Api,
    Webhooks,
}

impl Backend {
    const ALL: [Self; 2] = [Self::Api, Self::Webhooks];

    fn service(self) -> &'static str {
        match self {
            Self::Api => "calico-api",
            Self::Webhooks => "calico-webhooks",
        }
    }

    /// The Secret with its certificate.
    fn secret(self) -> &'static str {
        match self {
            Self::Api => "calico-apiserver-certs",
            Self::Webhooks => "calico-webhooks-tls",
        }
    }
}

/// The other end of a tunnel.
pub(super) enum End {
    /// Somebody outside of the cluster, or a node.
    Dialled(TcpStream),
    /// A backend; the acceptor is missing where it says nothing.
    Played(Played),
}

/// A backend that has taken a connection.
pub(super) struct Played {
    backend: Backend,
    client: Client,
    acceptor: Option<TlsAcceptor>,
    switch: watch::Receiver<Behaviour>,
    available: bool,
}

/// Opens the connection to an address, a host and a port.
pub(super) async fn open(address: &str, cluster: &Cluster) -> Result<End> {
    let (host, _) = address.rsplit_once(':').context("the address has no port")?;
    if let Some(backend) = backend(host, &cluster.client).await? {
        return take(backend, cluster).await.map(End::Played);
    }
    if in_service_range(host) {
        bail!("nobody listens at {address}");
    }
    TcpStream::connect(address).await.map(End::Dialled).with_context(|| format!("failed to connect to {address}"))
}

fn in_service_range(host: &str) -> bool {
    let range: Option<IpNet> = SERVICE_RANGE.parse().ok();
    let host: Option<IpAddr> = host.parse().ok();
    range.zip(host).is_some_and(|(range, host)| range.contains(&host))
}

/// The backend of a name or cluster IP of a Service.
async fn backend(host: &str, client: &Client) -> Result<Option<Backend>> {
    let named = |backend: &Backend| host.starts_with(&format!("{}.{NAMESPACE}.svc", backend.service()));
    if let Some(backend) = Backend::ALL.into_iter().find(named) {
        return Ok(Some(backend));
    }
    if !in_service_range(host) {
        return Ok(None);
    }
    let services: Api<Service> = Api::namespaced(client.clone(), NAMESPACE);
    for backend in Backend::ALL {
        let service = services.get_opt(backend.service()).await.context("failed to get a Service")?;
        let address = service.and_then(|service| service.spec).and_then(|spec| spec.cluster_ip);
        if address.as_deref() == Some(host) {
            return Ok(Some(backend));
        }
    }
    Ok(None)
}

async fn take(backend: Backend, cluster: &Cluster) -> Result<Played> {
    let client = cluster.client.clone();
    let mut switch = match backend {
        Backend::Api => cluster.api.clone(),
        Backend::Webhooks => cluster.webhooks.clone(),
    };
    let behaviour = *switch.borrow_and_update();
    let acceptor = match behaviour {
        Behaviour::Refused => bail!("{} refuses", backend.service()),
        Behaviour::Hanging => None,
        Behaviour::Served | Behaviour::Unavailable => Some(tls::acceptor(&client, NAMESPACE, backend.secret()).await?),
    };
    Ok(Played { backend, client, acceptor, switch, available: behaviour == Behaviour::Served })
}

impl End {
    /// Connects both ends until one of them closes.
    pub(super) async fn join(self, mut tunnel: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) {
        match self {
            Self::Dialled(mut stream) => drop(copy_bidirectional(&mut tunnel, &mut stream).await),
            Self::Played(mut played) => {
                let mut switch = played.switch.clone();
                let acceptor = played.acceptor.take();
                tokio::select! {
                    () = played.speak(acceptor, tunnel) => {}
                    _ = switch.changed() => {}
                }
            }
        }
    }
}

impl Played {
    async fn speak(&self, acceptor: Option<TlsAcceptor>, tunnel: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) {
        let Some(acceptor) = acceptor else { return std::future::pending().await };
        let Ok(stream) = acceptor.accept(tunnel).await else { return };
        let service = service_fn(|request| async {
            match self.backend {
                _ if !self.available => reply::unavailable(),
                Backend::Api => api::answer(&self.client, request).await,
                Backend::Webhooks => webhooks::answer(request).await,
            }
        });
        let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
    }
}
