//! `ManagementClusterConnection`: the tunnel to a cluster, or a service, from which this one is managed.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::ComponentStatus;
use crate::installation::overrides::{Container, InitContainer, PodsOnly, SpecOnly};

/// Changes to the Deployment guardian.
pub type GuardianDeployment = PodsOnly<SpecOnly<GuardianPodSpec>>;

/// How this cluster reaches the one that manages it.
#[skip_serializing_none]
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "operator.tigera.io",
    version = "v1",
    kind = "ManagementClusterConnection",
    plural = "managementclusterconnections",
    status = "ComponentStatus",
    shortname = "mcc",
    category = "calico",
    derive = "PartialEq",
    derive = "Default",
    printcolumn(
        name = "Address",
        type_ = "string",
        json_path = ".spec.managementClusterAddr",
        description = "Where the managing cluster is reached."
    ),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].status",
        description = "True when the tunnel's client runs as configured; TigeraStatus says what does not."
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    doc = "ManagementClusterConnection connects this cluster to one that manages it: guardian, a client in this cluster, keeps a tunnel open through which requests come in. The operator looks at the one named `default`; deleting it closes the tunnel."
)]
#[serde(rename_all = "camelCase")]
pub struct ManagementClusterConnectionSpec {
    /// Host and TCP port of the managing cluster's end of the tunnel, such as `management.example.com:9449`. Pods of this cluster must
    /// be able to reach it.
    #[schemars(regex(pattern = r"^(\S+:[0-9]{1,5})?$"), length(max = 512))]
    pub management_cluster_addr: Option<String>,

    /// How the tunnel is secured.
    pub tls: Option<ManagementClusterTls>,

    /// Changes to the Deployment guardian.
    pub guardian_deployment: Option<GuardianDeployment>,

    /// Whose rights guardian may take on for requests that come through the tunnel, in variants where it does so. What is stated here
    /// replaces the default as a whole: an empty map allows nobody. Default: what the managing cluster needs.
    pub impersonation: Option<Impersonation>,
}

/// How the tunnel is secured.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ManagementClusterTls {
    /// By which authority the managing cluster's certificate is checked. Default: Tigera.
    pub ca: Option<CertificateAuthority>,
}

/// By which authority the managing cluster's certificate is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum CertificateAuthority {
    /// The one in the connection's Secret, which knows the certificate as `voltron`.
    #[default]
    Tigera,
    /// Those that everybody trusts; the certificate must be for the host in `managementClusterAddr`.
    Public,
}

/// Whose rights guardian may take on. A list that is left out means nobody, an empty one means everybody.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Impersonation {
    /// Names of users. An empty list means every user. Default: none.
    pub users: Option<Vec<String>>,

    /// Names of groups. An empty list means every group. Default: none.
    pub groups: Option<Vec<String>>,

    /// Names of ServiceAccounts. An empty list means every ServiceAccount. Default: none.
    pub service_accounts: Option<Vec<String>>,
}

/// Changes to the pods of guardian.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GuardianPodSpec {
    /// Changes to containers. A container that is not listed stays as it is.
    pub containers: Option<Vec<Container<GuardianContainer>>>,

    /// Changes to init containers. One that is not listed stays as it is.
    pub init_containers: Option<Vec<InitContainer<String>>>,
}

/// Containers of guardian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum GuardianContainer {
    /// The only one.
    #[serde(rename = "tigera-guardian")]
    Guardian,
}
