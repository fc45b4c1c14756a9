//! A converged cluster stays as it is, however often the operator is made to look it over.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use chimera_kit::{AuditEvent, ControlPlane};
use kube::Api;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, Patch, PatchParams};
use serde_json::json;
use tokio::time::{Instant, sleep_until};

use crate::cluster::{DEADLINE, wait_available, wait_condition};
use crate::operator::Operator;
use crate::{OPERATOR_USER, metrics, writes};

const DEFAULT: &str = "{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {name: default}, spec: {}}";
/// After this long without a write a cluster counts as converged.
const PAUSE: Duration = Duration::from_secs(10);
/// Who touches.
const TOUCHER: &str = "example-tool";

/// What is touched in turn, API version, kind, namespace and name: each of it wakes the operator, and none of the touches
/// is its business.
const TOUCHED: [(&str, &str, &str, &str); 9] = [
    ("operator.tigera.io/v1", "Installation", "", "default"),
    ("apps/v1", "DaemonSet", "calico-system", "calico-node"),
    ("operator.tigera.io/v1", "TigeraStatus", "", "calico"),
    ("v1", "ServiceAccount", "calico-system", "calico-node"),
    ("crd.projectcalico.org/v1", "FelixConfiguration", "", "default"),
    ("v1", "Secret", "tigera-operator", "node-certs"),
    ("rbac.authorization.k8s.io/v1", "ClusterRole", "", "calico-node"),
    ("crd.projectcalico.org/v1", "IPPool", "", "default-ipv4-ippool"),
    ("v1", "Namespace", "", "calico-system"),
];

/// A cluster with an operator, and where its metrics are.
pub struct Subject<'a> {
    /// The cluster.
    pub cluster: &'a ControlPlane,
    /// The operator.
    pub operator: &'a Operator,
    /// Where it serves its metrics.
    pub metrics: SocketAddr,
}

/// What happened in a time of rest.
#[derive(Clone, Debug)]
pub struct Rest {
    /// Reconciles, of all controllers.
    pub reconciles: u64,
    /// Writes of the operator.
    pub writes: Vec<AuditEvent>,
}

impl Subject<'_> {
    /// Installs, and waits until nothing is written any more.
    ///
    /// # Errors
    /// If it does not come to rest.
    pub async fn converge(&self) -> Result<()> {
        self.cluster.apply_yaml(DEFAULT).await?;
        wait_available(self.cluster).await.with_context(|| self.operator.log())?;
        writes::quiet(self.cluster, "the last writes of the install", PAUSE).await
    }

    /// Installs what may follow from an Installation as well, and waits until nothing is written any more.
    ///
    /// # Errors
    /// If it does not come to rest.
    pub async fn converge_with_all(&self) -> Result<()> {
        for kind in ["APIServer", "Goldmane", "Whisker"] {
            let resource = json!({"apiVersion": "operator.tigera.io/v1", "kind": kind, "metadata": {"name": "default"}, "spec": {}});
            self.cluster.apply_yaml(&resource.to_string()).await?;
        }
        for status in ["apiserver", "tiers", "goldmane", "whisker"] {
            wait_condition(self.cluster, status, "Available").await.with_context(|| self.operator.log())?;
        }
        wait_available(self.cluster).await.with_context(|| self.operator.log())?;
        writes::quiet(self.cluster, "the last writes of all components", PAUSE).await
    }

    /// Touches something `times` times, spread over `span`, and waits each time until the operator has looked.
    ///
    /// # Errors
    /// If it does not look.
    pub async fn rest(&self, times: u32, span: Duration) -> Result<Rest> {
        let (skip, before) = (writes::count(self.cluster).await?, metrics::reconciles(self.metrics).await?);
        let started = Instant::now();
        for time in 0..times {
            sleep_until(started + span * time / times.max(1)).await;
            self.touch(time).await.with_context(|| self.operator.log())?;
        }
        sleep_until(started + span).await;
        let reconciles = metrics::reconciles(self.metrics).await? - before;
        let writes = self.cluster.audit().await?.writes_by(OPERATOR_USER).into_iter().skip(skip).collect();
        Ok(Rest { reconciles, writes })
    }

    /// Touches the one of the objects whose turn it is, and waits until the operator has looked.
    ///
    /// # Errors
    /// If it does not look.
    pub async fn touch(&self, time: u32) -> Result<()> {
        let before = metrics::reconciles(self.metrics).await?;
        let (api_version, kind, namespace, name) = TOUCHED[time as usize % TOUCHED.len()];
        annotate(self.cluster, api_version, kind, namespace, name, &time.to_string()).await?;
        let looked = || async { Ok((metrics::reconciles(self.metrics).await? > before).then_some(())) };
        self.cluster.wait_for(&format!("a reconcile after {kind} {name} was touched"), DEADLINE, looked).await
    }
}

impl Rest {
    /// Fails if anything was written, or the operator looked less often.
    ///
    /// # Errors
    /// What was written.
    pub fn assert_quiet(&self, reconciles: u64) -> Result<()> {
        ensure!(self.writes.is_empty(), "a converged cluster was written to: {:#?}", self.writes);
        ensure!(self.reconciles >= reconciles, "only {} reconciles, not {reconciles}", self.reconciles);
        Ok(())
    }
}

/// Gives an object another annotation, as some other tool.
pub async fn annotate(
    cluster: &ControlPlane,
    api_version: &str,
    kind: &str,
    namespace: &str,
    name: &str,
    value: &str,
) -> Result<()> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
    let api: Api<DynamicObject> = match namespace {
        "" => Api::all_with(cluster.client(), &resource),
        namespace => Api::namespaced_with(cluster.client(), namespace, &resource),
    };
    let params = PatchParams { field_manager: Some(TOUCHER.into()), ..PatchParams::default() };
    let patch = Patch::Merge(json!({"metadata": {"annotations": {"example.com/touched": value}}}));
    api.patch(name, &params, &patch).await.with_context(|| format!("failed to touch {kind} {name}"))?;
    Ok(())
}
