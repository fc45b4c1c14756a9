//! Leader election by a Lease, so that one operator acts at a time.
//!
//! The Lease is the Go operator's (`operator-lock`), so that the two never act at once. Expiry is judged by how long
//! the record stood still on this machine's own clock, never by the times in it: clocks of machines differ.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chimera_core::env::Clock;
use http::{Method, Request, Response};
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::api::{ObjectMeta, PostParams};
use kube::client::Body;
use kube::{Api, Client};
use tokio::time::{Instant, sleep, timeout};
use tower::{BoxError, service_fn};
use tracing::{info, warn};

use crate::client;

/// Name of the Lease.
pub const LEASE: &str = "operator-lock";
/// After this long without a renewal others may take over.
const LEASE_DURATION: Duration = Duration::from_secs(15);
/// The leader gives up when it could not renew for this long: well before others may take over.
const RENEW_DEADLINE: Duration = Duration::from_secs(10);
/// Time between two tries.
const RETRY: Duration = Duration::from_secs(2);

/// A candidate for the Lease, or its holder.
pub struct Candidate {
    leases: Api<Lease>,
    identity: String,
    clock: Arc<dyn Clock>,
    /// The record last seen, and since when it stands still.
    seen: Option<(LeaseSpec, Instant)>,
    fence: Fence,
}

/// Lets requests that change anything through only while the Lease is surely held: a process that stood still for a
/// while must not act before it has noticed that another one took over.
#[derive(Clone, Debug, Default)]
pub struct Fence(Arc<Mutex<Option<Instant>>>);

/// A request was not sent, since another process may hold the Lease.
#[derive(Debug, thiserror::Error)]
#[error("the lease {LEASE} is not surely held, so nothing is written")]
pub struct NotHeld;

impl Fence {
    /// A client whose requests go through the fence.
    pub fn around(&self, client: Client) -> Client {
        let (fence, namespace) = (self.clone(), client.default_namespace().to_owned());
        Client::new(service_fn(move |request| fence.clone().pass(client.clone(), request)), namespace)
    }

    async fn pass(self, client: Client, request: Request<Body>) -> Result<Response<Body>, BoxError> {
        if request.method() != Method::GET && !self.is_open() {
            return Err(NotHeld.into());
        }
        Ok(client.send(request).await?)
    }

    fn is_open(&self) -> bool {
        let renewed = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        renewed.is_some_and(|renewed| renewed.elapsed() < RENEW_DEADLINE)
    }

    /// The Lease was renewed by a request that was sent at this moment.
    fn renewed(&self, sent: Instant) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(sent);
    }
}

impl Candidate {
    /// A candidate under a name that no other process has. The clock only fills in the record.
    pub fn new(client: Client, namespace: &str, identity: String, clock: Arc<dyn Clock>) -> Self {
        Self { leases: Api::namespaced(client, namespace), identity, clock, seen: None, fence: Fence::default() }
    }

    /// What keeps a process from writing that does not surely hold the Lease.
    pub fn fence(&self) -> Fence {
        self.fence.clone()
    }

    /// Waits until this process holds the Lease.
    pub async fn acquire(&mut self) {
        let mut waiting = false;
        loop {
            let sent = Instant::now();
            match self.try_once().await {
                Ok(true) => return self.fence.renewed(sent),
                Ok(false) if !waiting => {
                    waiting = true;
                    info!(lease = LEASE, "another process holds the lease; waiting for it");
                }
                Ok(false) => {}
                Err(error) => warn!(lease = LEASE, "failed to take the lease: {}; trying again", self.why(&error)),
            }
            sleep(RETRY).await;
        }
    }

    /// Renews the Lease until that fails for too long or another process has it.
    pub async fn hold(&mut self) {
        let mut renewed = Instant::now();
        while renewed.elapsed() < RENEW_DEADLINE {
            sleep(RETRY).await;
            let left = RENEW_DEADLINE.saturating_sub(renewed.elapsed());
            // Others count from when the record changed, which may be long before the answer comes.
            let sent = Instant::now();
            match timeout(left, self.try_once()).await {
                Ok(Ok(true)) => {
                    renewed = sent;
                    self.fence.renewed(sent);
                }
                Ok(Ok(false)) => return,
                Ok(Err(error)) => warn!(lease = LEASE, "failed to renew the lease: {}; trying again", self.why(&error)),
                Err(_) => return,
            }
        }
    }

    /// Gives the Lease back, so that the next process need not wait for it to expire.
    pub async fn release(&mut self) {
        let Ok(Some(mut lease)) = self.leases.get_opt(LEASE).await else { return };
        let spec = lease.spec.get_or_insert_default();
        if spec.holder_identity.as_deref() == Some(&self.identity) {
            spec.holder_identity = Some(String::new());
            spec.lease_duration_seconds = Some(1);
            if let Err(error) = self.leases.replace(LEASE, &PostParams::default(), &lease).await {
                warn!(lease = LEASE, "failed to give the lease back: {}; it expires by itself", self.why(&error));
            }
        }
    }

    /// What went wrong, and what to do.
    fn why(&self, error: &kube::Error) -> String {
        let namespace = self.leases.namespace().unwrap_or_default();
        match error {
            kube::Error::Api(status) if status.code == 404 => {
                format!("namespace {namespace} does not exist; create it with `kubectl create namespace {namespace}`")
            }
            kube::Error::Api(status) if status.code == 403 => format!(
                "the operator's ServiceAccount may not get, create and update leases of coordination.k8s.io in \
                 namespace {namespace}; grant it these verbs"
            ),
            error => client::reason(error, "update"),
        }
    }

    /// Takes or renews the Lease if that is allowed; says whether this process holds it now.
    ///
    /// A conflict may come from this process's own request that was done, and sent again since the answer got lost.
    /// So it looks once more.
    async fn try_once(&mut self) -> Result<bool, kube::Error> {
        Ok(self.write().await? || self.write().await?)
    }

    async fn write(&mut self) -> Result<bool, kube::Error> {
        let Some(mut lease) = self.leases.get_opt(LEASE).await? else { return self.create().await };
        let before = lease.spec.clone().unwrap_or_default();
        if !self.may_take(&before) {
            return Ok(false);
        }
        lease.spec = Some(self.record(&before));
        accepted(self.leases.replace(LEASE, &PostParams::default(), &lease).await)
    }

    async fn create(&self) -> Result<bool, kube::Error> {
        let lease = Lease {
            metadata: ObjectMeta { name: Some(LEASE.into()), ..ObjectMeta::default() },
            spec: Some(self.record(&LeaseSpec::default())),
        };
        accepted(self.leases.create(&PostParams::default(), &lease).await)
    }

    fn may_take(&mut self, record: &LeaseSpec) -> bool {
        let holder = record.holder_identity.as_deref().unwrap_or_default();
        if holder.is_empty() || holder == self.identity {
            return true;
        }
        let since = match &self.seen {
            Some((seen, since)) if seen == record => *since,
            _ => Instant::now(),
        };
        self.seen = Some((record.clone(), since));
        let seconds = record.lease_duration_seconds.and_then(|seconds| u64::try_from(seconds).ok());
        since.elapsed() >= seconds.map_or(LEASE_DURATION, Duration::from_secs)
    }

    fn record(&self, before: &LeaseSpec) -> LeaseSpec {
        let now = MicroTime(self.clock.now());
        let renewal = before.holder_identity.as_deref() == Some(&self.identity);
        let transitions = before.lease_transitions.unwrap_or_default();
        LeaseSpec {
            holder_identity: Some(self.identity.clone()),
            lease_duration_seconds: i32::try_from(LEASE_DURATION.as_secs()).ok(),
            acquire_time: if renewal { before.acquire_time.clone() } else { Some(now.clone()) },
            renew_time: Some(now),
            lease_transitions: Some(if renewal { transitions } else { transitions.saturating_add(1) }),
            ..LeaseSpec::default()
        }
    }
}

/// A conflict means that another process was faster, which is no error.
fn accepted(answer: Result<Lease, kube::Error>) -> Result<bool, kube::Error> {
    match answer {
        Ok(_) => Ok(true),
        Err(kube::Error::Api(status)) if status.code == 409 => Ok(false),
        Err(error) => Err(error),
    }
}
