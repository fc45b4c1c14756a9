//! `Installation`: the one resource that says how Calico is installed.

pub mod autodetection;
pub mod cni;
pub mod host;
pub mod ip_pool;
pub mod network;
pub mod overrides;
pub mod provider;
pub mod status;
pub mod tls;
pub mod toggle;
pub mod variant;

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::DaemonSetUpdateStrategy;
use k8s_openapi::api::core::v1::{LocalObjectReference, Toleration};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

pub use autodetection::{KubernetesAutodetectionMethod, NodeAddressAutodetection};
pub use cni::{Cni, CniInstallMode, CniSpecVersion, CniType, Ipam, IpamType};
pub use host::{
    Azure, AzurePolicyMode, CniLogging, LogSeverity, Logging, NetworkPolicyManagement, Proxy, WindowsNodes,
};
pub use ip_pool::{AssignmentMode, EncapsulationType, IpPool};
pub use network::{
    CalicoNetwork, ClusterRoutingMode, LinuxDataplane, LinuxPodInterfaceType, MultiInterfaceMode, Sysctl, SysctlKey,
    WindowsDataplane,
};
pub use provider::{ComponentName, ComponentResource, ImagePullPolicy, Provider};
pub use status::InstallationStatus;
pub use tls::{
    CertificateManagement, KeyAlgorithm, SignatureAlgorithm, TlsCipherSuite, TlsCipherSuiteName, TlsMinVersion,
};
pub use toggle::Toggle;
pub use variant::{Variant, VariantError};

use overrides::{
    CsiNodeDriverDaemonSet, KubeControllersDeployment, NodeDaemonSet, NodeWindowsDaemonSet, PodDisruptionBudget,
    TyphaAffinity, TyphaDeployment, WindowsUpgradeDaemonSet,
};

/// How Calico is to be installed. The operator never writes here: what it chooses itself stands in `status.defaults`.
#[skip_serializing_none]
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "operator.tigera.io",
    version = "v1",
    kind = "Installation",
    plural = "installations",
    status = "InstallationStatus",
    shortname = "inst",
    category = "calico",
    derive = "PartialEq",
    derive = "Default",
    printcolumn(name = "Variant", type_ = "string", json_path = ".status.variant", description = "What is installed."),
    printcolumn(
        name = "Version",
        type_ = "string",
        json_path = ".status.calicoVersion",
        description = "The version that is installed."
    ),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].status",
        description = "True when everything runs as configured; TigeraStatus says what does not."
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    doc = "Installation says how Calico is installed in this cluster. The operator looks at the one named `default`; an empty spec installs Calico with defaults that fit the cluster."
)]
#[serde(rename_all = "camelCase")]
pub struct InstallationSpec {
    /// The product variant to install. `Calico` needs nothing else; any other name must be provided by a plugin that is loaded. Default:
    /// the variant that the operator runs as.
    pub variant: Option<Variant>,

    /// The registry that all images come from, with a slash at its end, such as `registry.example.com/`. An image's full name is
    /// `<registry><imagePath>/<imagePrefix><name>:<tag>`. Default, also spelled `UseDefault`: each image's own registry.
    pub registry: Option<String>,

    /// The path within the registry that all images come from, instead of each image's own. `UseDefault` is the same as unset.
    pub image_path: Option<String>,

    /// What the name of each image starts with. Default, also spelled `UseDefault`: nothing.
    pub image_prefix: Option<String>,

    /// Secrets in the operator's namespace that hold the credentials for pulling images. The operator copies them to where they are
    /// needed. Default: none.
    pub image_pull_secrets: Option<Vec<LocalObjectReference>>,

    /// When nodes pull images; for containers that say nothing themselves. Default: IfNotPresent.
    pub image_pull_policy: Option<ImagePullPolicy>,

    /// The platform that the cluster runs on. Default: found out from the cluster; what is stated
    /// here goes before what is found.
    pub kubernetes_provider: Option<Provider>,

    /// The CNI plugin, its IPAM plugin and where both live on a node. Default: what fits the platform.
    pub cni: Option<Cni>,

    /// What Calico's dataplane does with packets: dataplane, routing, address pools, MTU.
    pub calico_network: Option<CalicoNetwork>,

    /// The ranges that Services get their addresses from, in CIDR notation. Needed for Calico on Windows nodes, else not used.
    #[serde(rename = "serviceCIDRs")]
    pub service_cidrs: Option<Vec<String>>,

    /// Labels that nodes must have to run components that are not needed on every node. Applies to Deployments, not to DaemonSets.
    /// Default: none.
    pub control_plane_node_selector: Option<BTreeMap<String, String>>,

    /// Tolerations that Deployments get in addition to those that the operator sets. Default: none.
    pub control_plane_tolerations: Option<Vec<Toleration>>,

    /// How many replicas of each Deployment run, where more than one makes sense. Default: 2.
    pub control_plane_replicas: Option<i32>,

    /// TCP port on which calico-node serves Prometheus metrics. Default: unset, no metrics unless FelixConfiguration turns them on.
    pub node_metrics_port: Option<i32>,

    /// TCP port on which Typha serves Prometheus metrics. Default: unset, no metrics.
    pub typha_metrics_port: Option<i32>,

    /// How pods of calico-node and other DaemonSets are replaced on a change. Default: RollingUpdate, one node at a time.
    pub node_update_strategy: Option<DaemonSetUpdateStrategy>,

    /// Directory on each node that holds FlexVolume drivers; `None` installs no driver. Default: the directory of the platform.
    pub flex_volume_path: Option<String>,

    /// The kubelet's directory on each node, which the CSI driver needs; `None` installs no CSI driver. Default: `/var/lib/kubelet`.
    pub kubelet_volume_plugin_path: Option<String>,

    /// Directory on each node that calico-node sees as `/var/lib/calico`. Default: `/var/lib/calico`.
    #[schemars(length(max = 1024), extend("default" = "/var/lib/calico"))]
    pub calico_lib_host_path: Option<String>,

    /// Directory on each node that calico-node sees as `/var/run/calico`. Default: `/var/run/calico`.
    #[schemars(length(max = 1024), extend("default" = "/var/run/calico"))]
    pub calico_run_host_path: Option<String>,

    /// Has pods request their certificates by CertificateSigningRequest, instead of the operator issuing them. Somebody must approve
    /// and sign the requests; until then pods wait in an init container. Default: unset, the operator issues them.
    pub certificate_management: Option<CertificateManagement>,

    /// The cipher suites that TLS servers and clients of Calico use. Default: those of each component.
    pub tls_cipher_suites: Option<Vec<TlsCipherSuite>>,

    /// The lowest version of TLS that servers and clients of Calico speak. Default: that of each component.
    pub tls_min_version: Option<TlsMinVersion>,

    /// Logs of components.
    pub logging: Option<Logging>,

    /// The proxy for connections that leave the cluster.
    pub proxy: Option<Proxy>,

    /// Who looks after the policies that protect Calico's own components.
    pub network_policy: Option<NetworkPolicyManagement>,

    /// What concerns Windows nodes only.
    pub windows_nodes: Option<WindowsNodes>,

    /// What concerns AKS only.
    pub azure: Option<Azure>,

    /// Changes to the DaemonSet calico-node. Go before `componentResources`.
    pub calico_node_daemon_set: Option<NodeDaemonSet>,

    /// Changes to the DaemonSet calico-node-windows. Go before `componentResources`.
    pub calico_node_windows_daemon_set: Option<NodeWindowsDaemonSet>,

    /// Changes to the Deployment calico-kube-controllers. Go before `componentResources`.
    pub calico_kube_controllers_deployment: Option<KubeControllersDeployment>,

    /// Changes to the Deployment calico-typha. Go before `componentResources` and `typhaAffinity`.
    pub typha_deployment: Option<TyphaDeployment>,

    /// Changes to the PodDisruptionBudget of calico-typha.
    pub typha_pod_disruption_budget: Option<PodDisruptionBudget>,

    /// Changes to the DaemonSet csi-node-driver.
    pub csi_node_driver_daemon_set: Option<CsiNodeDriverDaemonSet>,

    /// Deprecated: there is no such DaemonSet any more. Changes to the DaemonSet calico-windows-upgrade.
    pub calico_windows_upgrade_daemon_set: Option<WindowsUpgradeDaemonSet>,

    /// Deprecated: use the fields named after the workloads, which go first. Requests and limits by component.
    pub component_resources: Option<Vec<ComponentResource>>,

    /// Deprecated: use `typhaDeployment`, which goes first. Where Typha runs.
    pub typha_affinity: Option<TyphaAffinity>,

    /// Deprecated: Enabled is an error. Whether calico-node runs without privileges. Default: Disabled.
    pub non_privileged: Option<Toggle>,

    /// Deprecated: Enabled is an error. Whether FIPS 140 validated cryptography is used. Default: Disabled.
    pub fips_mode: Option<Toggle>,
}
