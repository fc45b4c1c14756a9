//! What validation hands to the renderers of the Installation. After it nobody reads the raw resource.

use chimera_crds::installation::{InstallationSpec, Provider};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::Value;

use crate::certificates::Certificates;
use crate::confidential::Confidential;
use crate::felix::FelixFacts;
use crate::goldmane::Collector;
use crate::images::Images;
use crate::message::Message;
use crate::object::Object;

/// Everything the Installation's renderers need, checked and with defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct InstallationConfig {
    /// The Installation, as the owner of what is rendered.
    pub owner: Owner,
    /// The Installation named `overlay`, if one was laid over it; messages go by it.
    pub overlay: Option<Value>,
    /// The effective spec: what the user wrote and the defaults. Never written back.
    ///
    /// `cni`, `cni.ipam`, `calicoNetwork`, its `bgp`, `linuxDataplane` and `ipPools` (which may be empty),
    /// `nodeUpdateStrategy`, `controlPlaneReplicas`, `flexVolumePath` and `kubeletVolumePluginPath` are always set.
    pub spec: InstallationSpec,
    /// Only what the operator chose, in the shape of the spec, for `status.defaults`; an empty object if nothing.
    pub defaults: Value,
    /// What is known of the cluster.
    pub cluster: Cluster,
    /// References of images.
    pub images: Images,
    /// Key pairs and trusted bundle.
    pub certificates: Certificates,
    /// What components must know of the FelixConfiguration as it will be.
    pub felix: FelixFacts,
    /// The operator's part of FelixConfiguration `default`, to be laid over what is there. It gets no owner and no labels.
    pub felix_configuration: Object,
    /// The operator's part of BGPConfiguration `default`, likewise; none if it has none.
    pub bgp_configuration: Option<Object>,
    /// The operator's part of OpenShift's Network `cluster`: its status. None on another platform.
    pub openshift_network: Option<Object>,
    /// What nodes must know of the service that collects flows, if it runs.
    pub goldmane: Option<Collector>,
    /// Whether the cluster takes network policies in the operator's tier; those are rendered only where it does.
    pub takes_policies: bool,
    /// The user's pull secrets, as they are in the operator's namespace.
    pub pull_secrets: Vec<Confidential>,
    /// What works but deserves a look.
    pub warnings: Vec<Message>,
}

/// The custom resource that owns what is rendered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    /// Its name.
    pub name: String,
    /// Its uid; none offline, where it was never created.
    pub uid: Option<String>,
}

impl Owner {
    /// From a resource's metadata.
    pub fn of(metadata: &ObjectMeta) -> Self {
        Self { name: metadata.name.clone().unwrap_or_default(), uid: metadata.uid.clone() }
    }
}

/// What is known of the cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Cluster domain, as `cluster.local`.
    pub domain: String,
    /// The platform, as stated by the user or found out.
    pub provider: Provider,
    /// The API group that serves Calico's own resources.
    pub api_group: ApiGroup,
    /// The operator's own namespace.
    pub operator_namespace: String,
    /// Nodes that run Linux.
    pub linux_nodes: u32,
    /// Nodes that run Windows.
    pub windows_nodes: u32,
    /// Nodes with the role of a control plane.
    pub control_plane_nodes: u32,
    /// How many replicas of Typha fit the number of Linux nodes.
    pub typha_replicas: i32,
    /// The API server's address that pods shall use instead of the Service's, if the user gave one.
    pub api_server: Option<Endpoint>,
    /// What the BPF dataplane needs to reach the API servers before it serves Services, if the user wants that found out.
    pub bootstrap: Option<Bootstrap>,
}

/// How the BPF dataplane reaches the API servers before it serves Services.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bootstrap {
    /// Addresses of the Service in front of them.
    pub service: Vec<Endpoint>,
    /// Addresses of the servers themselves.
    pub api_servers: Vec<Endpoint>,
}

/// The API group that serves Calico's own resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ApiGroup {
    /// `crd.projectcalico.org/v1`, CRDs behind an aggregated API server.
    #[default]
    V1,
    /// `projectcalico.org/v3`, CRDs that clients use directly.
    V3,
}

impl ApiGroup {
    /// As it stands in `apiVersion`.
    pub fn api_version(self) -> &'static str {
        match self {
            Self::V1 => "crd.projectcalico.org/v1",
            Self::V3 => "projectcalico.org/v3",
        }
    }

    /// The group without its version.
    pub fn group(self) -> &'static str {
        match self {
            Self::V1 => "crd.projectcalico.org",
            Self::V3 => "projectcalico.org",
        }
    }
}

/// Host and port of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Name or address, without brackets.
    pub host: String,
    /// Port.
    pub port: String,
}

impl std::fmt::Display for Endpoint {
    /// `10.0.0.1:6443`; an IPv6 address stands in brackets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { host, port } = self;
        if host.contains(':') { write!(f, "[{host}]:{port}") } else { write!(f, "{host}:{port}") }
    }
}
