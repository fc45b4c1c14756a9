//! What is watched, and whom it wakes.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use chimera_core::installation::config::ApiGroup;
use chimera_core::names::{CALICO_SYSTEM, OPERATOR_SECRETS_ROLE};
use chimera_core::object::ObjectKey;
use k8s_openapi::api::apps::v1::{DaemonSet, Deployment};
use kube::api::{ApiResource, DynamicObject};
use kube::core::PartialObjectMeta;
use kube::{Api, Client};
use tokio::task::JoinSet;
use tokio::time::sleep;
use tracing::warn;

use crate::apply::Applier;
use crate::apply::live::{Known, LiveVersions as _};
use crate::args::RunArgs;
use crate::context::{Context, Settings};
use crate::env::Machine;
use crate::metrics::Metrics;
use crate::plugins::Plugins;
use crate::reader::Reader;
use crate::status::events::Events;
use crate::status::writer::StatusWriter;
use crate::watch::heeded::Heeded;
use crate::watch::lazy::Lazy;
use crate::watch::signal::Signal;
use crate::watch::source::{Observer, Sink, Target, VersionsOnly, watch_metadata, watch_objects};
use crate::watch::versions::Versions;
use crate::watch::workloads::Workloads;

/// Carried by everything that the operator creates.
pub const OURS: &str = "app.kubernetes.io/managed-by=tigera-operator";
/// Marks the declaration of a plugin.
pub const PLUGIN: &str = "operator.tigera.io/plugin";

const RBAC: &str = "rbac.authorization.k8s.io/v1";

/// Kinds that the operator creates; of each only those with its label are watched. Workloads are watched whole.
const OWNED: [(&str, &str, &str); 10] = [
    ("v1", "Namespace", "namespaces"),
    ("v1", "Service", "services"),
    ("v1", "ServiceAccount", "serviceaccounts"),
    (RBAC, "ClusterRole", "clusterroles"),
    (RBAC, "ClusterRoleBinding", "clusterrolebindings"),
    (RBAC, "Role", "roles"),
    (RBAC, "RoleBinding", "rolebindings"),
    ("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets"),
    ("storage.k8s.io/v1", "CSIDriver", "csidrivers"),
    ("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies"),
];

/// Kinds of the operator's own API that a cluster need not serve.
const OPTIONAL: [(&str, &str); 6] = [
    ("APIServer", "apiservers"),
    ("Goldmane", "goldmanes"),
    ("Whisker", "whiskers"),
    ("ManagementClusterConnection", "managementclusterconnections"),
    ("GatewayAPI", "gatewayapis"),
    ("Istio", "istios"),
];
/// Between two looks whether they are served.
const LOOK_EVERY: Duration = Duration::from_secs(15);

/// One bell a controller.
#[derive(Clone, Debug, Default)]
pub struct Bells {
    /// Rings the installation controller.
    pub installation: Signal,
    /// Rings the ippools controller.
    pub ip_pools: Signal,
    /// Rings the windows controller.
    pub windows: Signal,
    /// Rings the plugins controller.
    pub plugins: Signal,
    /// Rings the apiserver controller.
    pub api_server: Signal,
    /// Rings the tiers controller.
    pub tiers: Signal,
    /// Rings the goldmane controller.
    pub goldmane: Signal,
    /// Rings the whisker controller.
    pub whisker: Signal,
    /// Rings the csr controller.
    pub csr: Signal,
    /// Rings the clusterconnection controller.
    pub cluster_connection: Signal,
    /// Rings the gatewayapi controller.
    pub gateway_api: Signal,
    /// Rings the istio controller.
    pub istio: Signal,
}

impl Bells {
    fn all(&self) -> Vec<Signal> {
        let mut all = self.both();
        all.push(self.plugins.clone());
        all
    }
    /// Whoever depends on the Installation; pools are no business of theirs.
    fn installation(&self) -> Vec<Signal> {
        let own = [&self.installation, &self.windows, &self.api_server, &self.tiers, &self.goldmane, &self.whisker];
        let further = [&self.cluster_connection, &self.gateway_api, &self.istio, &self.csr];
        own.into_iter().chain(further).cloned().collect()
    }
    /// Whoever renders something that plugins may change.
    pub(super) fn extended(&self) -> Vec<Signal> {
        self.both()
    }
    /// The same, and the pools.
    fn both(&self) -> Vec<Signal> {
        self.installation().into_iter().chain([self.ip_pools.clone()]).collect()
    }
}

/// The API group that the administrator asked for.
///
/// # Errors
/// If there is no such group.
pub fn api_group(text: Option<&str>) -> Result<Option<ApiGroup>> {
    Ok(match text {
        None | Some("") => None,
        Some("crd.projectcalico.org/v1" | "crd.projectcalico.org") => Some(ApiGroup::V1),
        Some("projectcalico.org/v3" | "projectcalico.org") => Some(ApiGroup::V3),
        Some(other) => bail!(
            "--calico-api-group (CALICO_API_GROUP) is {other:?}: give crd.projectcalico.org/v1 or projectcalico.org/v3"
        ),
    })
}

/// What the cluster serves.
#[derive(Clone, Debug, Default)]
pub struct Served {
    /// API group of Calico's own resources.
    pub api_group: ApiGroup,
    /// All API groups.
    pub api_groups: BTreeSet<String>,
}

/// Puts together what the controllers share.
///
/// # Errors
/// If the compile cache for plugins cannot be used.
pub fn context(
    client: Client,
    args: &RunArgs,
    served: Served,
    metrics: Arc<Metrics>,
    identity: String,
    machine: Machine,
) -> Result<Context> {
    let Machine { clock, randomness } = machine;
    let versions = Arc::new(Versions::default());
    let events = Events::new(client.clone(), identity);
    let writer = (client.clone(), Arc::clone(&versions), Arc::clone(&clock), events.clone(), Arc::clone(&metrics));
    Ok(Context {
        reader: Reader::new(client.clone(), Arc::clone(&versions)),
        applier: Applier::with_clock(client.clone(), Arc::clone(&clock)),
        status: StatusWriter::new(writer.0, writer.1, writer.2, writer.3, writer.4),
        plugins: Plugins::new(args.plugin_dir.clone(), args.plugin_cache_dir.clone(), Arc::clone(&metrics))?,
        workloads: Arc::default(),
        nodes: Arc::default(),
        lazy: Lazy::default(),
        randomness,
        settings: Settings {
            namespace: args.namespace.clone(),
            cluster_domain: args.cluster_domain.clone().unwrap_or_else(crate::cluster_domain::detect),
            api_group: served.api_group,
            api_groups: served.api_groups,
            chart_bundles: args.chart_bundles.clone(),
        },
        bells: Bells::default(),
        client,
        versions,
        events,
        metrics,
        clock,
    })
}

/// Starts every watch.
pub fn watches(context: &Arc<Context>, tasks: &mut JoinSet<()>) {
    let (watches, bells) = (Watches { context, tasks }, &context.bells);
    watches.custom_resources(bells).cluster(bells).owned(bells).workloads(bells);
}

/// Begins a watch that only some Installations need, if it was not begun before.
pub fn watch_also(context: &Context, target: Target) {
    watch_for(context, target, context.bells.installation());
}

/// The same, for the given bells only.
pub fn watch_for(context: &Context, target: Target, signals: Vec<Signal>) {
    let (versions, metrics) = (Arc::clone(&context.versions), Arc::clone(&context.metrics));
    let client = context.client.clone();
    let name = target.to_string();
    context.lazy.begin(name, move || {
        watch_metadata(client, target, Sink { versions, observer: Arc::new(VersionsOnly), signals, metrics })
    });
}

struct Watches<'a> {
    context: &'a Arc<Context>,
    tasks: &'a mut JoinSet<()>,
}

impl Watches<'_> {
    fn custom_resources(mut self, bells: &Bells) -> Self {
        let calico = self.context.settings.api_group.api_version();
        self.metadata(Target::new("operator.tigera.io/v1", "Installation", "installations"), bells.both());
        self.metadata(Target::new("operator.tigera.io/v1", "ImageSet", "imagesets"), bells.installation());
        self.metadata(Target::new("operator.tigera.io/v1", "TigeraStatus", "tigerastatuses"), bells.all());
        self.metadata(Target::new(calico, "IPPool", "ippools"), bells.both());
        self.metadata(Target::new(calico, "BGPConfiguration", "bgpconfigurations"), bells.installation());
        self.metadata(Target::new(calico, "FelixConfiguration", "felixconfigurations"), bells.installation());
        for (kind, plural) in OPTIONAL {
            let target = Target::new("operator.tigera.io/v1", kind, plural);
            let sink = self.sink(bells.installation(), Arc::new(VersionsOnly));
            self.tasks.spawn(once_served(Arc::clone(self.context), target, sink));
        }
        self
    }

    fn cluster(mut self, bells: &Bells) -> Self {
        let nodes: Arc<dyn Observer<_>> = Arc::clone(&self.context.nodes) as _;
        self.observed(Target::new("v1", "Node", "nodes"), bells.both(), nodes);
        let kubeadm = Target::new("v1", "ConfigMap", "configmaps").within("kube-system").named("kubeadm-config");
        self.metadata(kubeadm, bells.both());
        for name in ["aws-node", chimera_core::migrate::names::NODE] {
            let target = Target::new("apps/v1", "DaemonSet", "daemonsets").within("kube-system").named(name);
            self.metadata(target, bells.both());
        }
        let namespace = self.context.settings.namespace.clone();
        let endpoint = Target::new("v1", "ConfigMap", "configmaps").within(&namespace);
        self.metadata(endpoint.named("kubernetes-services-endpoint"), bells.installation());
        let heeded = Arc::new(Heeded(Arc::clone(self.context)));
        self.observed(Target::new("v1", "Secret", "secrets").within(&namespace), bells.installation(), heeded);
        let plugins = Target::new("v1", "ConfigMap", "configmaps").within(&namespace).labelled(PLUGIN);
        self.metadata(plugins, vec![bells.plugins.clone()]);
        self
    }

    fn owned(mut self, bells: &Bells) -> Self {
        let bound = [("ConfigMap", "configmaps"), ("Secret", "secrets")].map(|kind| (kind, Signal::default()));
        for (api_version, kind, plural) in OWNED {
            let mut signals = bells.installation();
            if kind == "RoleBinding" {
                signals.extend(bound.iter().map(|(_, signal)| signal.clone()));
            }
            self.metadata(Target::new(api_version, kind, plural).labelled(OURS), signals);
        }
        for ((kind, plural), signal) in bound {
            let target = Target::new("v1", kind, plural).within(CALICO_SYSTEM);
            self.once_bound(target.labelled(OURS), bells.installation(), signal);
        }
        self
    }

    /// In there the operator may look around only by a binding that it makes itself, so the watch begins with that.
    fn once_bound(&mut self, target: Target, signals: Vec<Signal>, changed: Signal) {
        let (context, sink) = (Arc::clone(self.context), self.sink(signals, Arc::new(VersionsOnly)));
        self.tasks.spawn(async move {
            let key = ObjectKey::namespaced(RBAC, "RoleBinding", CALICO_SYSTEM, OPERATOR_SECRETS_ROLE);
            while !matches!(context.versions.version(&key), Known::At { .. }) {
                changed.wait(None).await;
            }
            watch_metadata(context.client.clone(), target, sink).await;
        });
    }

    fn workloads(self, bells: &Bells) {
        let Self { context, tasks } = self;
        let api = Api::<DaemonSet>::all(context.client.clone());
        let target = Target::new("apps/v1", "DaemonSet", "daemonsets").labelled(OURS);
        tasks.spawn(watch_objects(api, target, rollouts(context, bells)));
        let api = Api::<Deployment>::all(context.client.clone());
        let target = Target::new("apps/v1", "Deployment", "deployments").labelled(OURS);
        tasks.spawn(watch_objects(api, target, rollouts(context, bells)));
    }

    fn sink<K>(&self, signals: Vec<Signal>, observer: Arc<dyn Observer<K>>) -> Sink<K> {
        let (versions, metrics) = (Arc::clone(&self.context.versions), Arc::clone(&self.context.metrics));
        Sink { versions, observer, signals, metrics }
    }

    fn metadata(&mut self, target: Target, signals: Vec<Signal>) {
        self.observed(target, signals, Arc::new(VersionsOnly));
    }

    fn observed(
        &mut self,
        target: Target,
        signals: Vec<Signal>,
        observer: Arc<dyn Observer<PartialObjectMeta<DynamicObject>>>,
    ) {
        let sink = self.sink(signals, observer);
        self.tasks.spawn(watch_metadata(self.context.client.clone(), target, sink));
    }
}

/// Watches a kind from when the cluster serves it. Until then it is known that there is none.
async fn once_served(context: Arc<Context>, target: Target, sink: Sink<PartialObjectMeta<DynamicObject>>) {
    let ApiResource { api_version, plural, kind, .. } = target.resource.clone();
    loop {
        match context.client.list_api_group_resources(&api_version).await {
            Ok(list) if list.resources.iter().any(|resource| resource.name == plural) => break,
            Ok(_) => {
                if !context.versions.is_listed(&target.scope()) {
                    context.versions.listed(&target.scope(), &BTreeSet::new());
                    sink.signals.iter().for_each(Signal::ring);
                }
            }
            Err(error) => {
                let error = crate::client::reason(&error, "list");
                warn!(error, kind, "failed to find out whether a kind is served; trying again");
            }
        }
        sleep(LOOK_EVERY).await;
    }
    watch_metadata(context.client.clone(), target, sink).await;
}

/// Feeds the rollout states.
fn rollouts<K>(context: &Context, bells: &Bells) -> Sink<K>
where
    Workloads: Observer<K>,
{
    let observer: Arc<dyn Observer<K>> = Arc::clone(&context.workloads) as _;
    let (versions, metrics) = (Arc::clone(&context.versions), Arc::clone(&context.metrics));
    Sink { versions, observer, signals: bells.installation(), metrics }
}
