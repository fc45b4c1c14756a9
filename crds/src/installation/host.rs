//! Small groups of `spec`: logging, proxy, provider details, who manages policies.

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::toggle::Toggle;

/// What the operator does on AKS only.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Azure {
    /// Whether the operator's namespaces get the label `control-plane`, which exempts them from Azure Policy. Default: Default.
    #[schemars(extend("default" = "Default"))]
    pub policy_mode: Option<AzurePolicyMode>,
}

/// Whether namespaces get the label `control-plane`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum AzurePolicyMode {
    /// They get it.
    Default,
    /// They do not; exempt them yourself if need be.
    Manual,
}

/// Logs of components.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Logging {
    /// The CNI plugin's log, a file on each node that the plugin itself rotates.
    pub cni: Option<CniLogging>,
}

/// The CNI plugin's log.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CniLogging {
    /// The least severe messages that are written. Default: Info.
    pub log_severity: Option<LogSeverity>,

    /// Size at which the file is rotated. Default: `100Mi`.
    pub log_file_max_size: Option<Quantity>,

    /// Age at which rotated files are removed, in days. Default: 30.
    pub log_file_max_age_days: Option<i32>,

    /// How many rotated files are kept. Default: 10.
    pub log_file_max_count: Option<i32>,
}

/// The least severe messages that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum LogSeverity {
    /// Failures only.
    Error,
    /// Also what may become a failure.
    Warning,
    /// Also normal events.
    Info,
    /// Also details for troubleshooting.
    Debug,
}

/// The proxy for connections that leave the cluster.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Proxy {
    /// Value of HTTP_PROXY in the containers that connect to the outside. Default: unset.
    pub http_proxy: Option<String>,

    /// Value of HTTPS_PROXY in the containers that connect to the outside. Default: unset.
    pub https_proxy: Option<String>,

    /// Value of NO_PROXY there: what is reached directly, separated by commas. It must cover the cluster's own addresses and names, the
    /// API server included. Default: unset.
    pub no_proxy: Option<String>,
}

/// Who looks after the policies that protect Calico's own components.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkPolicyManagement {
    /// Whether the operator creates the policies that protect the components it installs. When Disabled, those that it created before
    /// are deleted and protection is yours. Default: Enabled.
    #[schemars(extend("default" = "Enabled"))]
    pub manage_policies: Option<Toggle>,
}

/// Calico on Windows nodes.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WindowsNodes {
    /// Directory of CNI binaries; it must equal `bin_dir` of containerd's CNI configuration. Default: `/opt/cni/bin`, or the directory of
    /// the provider.
    pub cni_bin_dir: Option<String>,

    /// Directory of CNI configuration; it must equal `conf_dir` of containerd's CNI configuration. Default: `/etc/cni/net.d`, or the
    /// directory of the provider.
    pub cni_config_dir: Option<String>,

    /// Directory of the CNI plugin's log. Default: `/var/log/calico/cni`.
    pub cni_log_dir: Option<String>,

    /// Name of the network adapter that carries VXLAN. Default: the primary one.
    pub vxlan_adapter: Option<String>,

    /// First two bytes of the MAC addresses of virtual adapters, in hexadecimal, such as `0E-2A`. Default: `0E-2A`.
    #[serde(rename = "vxlanMACPrefix")]
    #[schemars(regex(pattern = "^[0-9A-Fa-f]{2}-[0-9A-Fa-f]{2}$"))]
    pub vxlan_mac_prefix: Option<String>,
}
