//! What is read from the cluster for an Installation: plain data, nothing decided yet.

use std::collections::{BTreeMap, BTreeSet};

use chimera_crds::image_set::ImageSet;
use chimera_crds::installation::Installation;

use super::config::{ApiGroup, Endpoint};
use crate::certificates::{Secrets, Trusted};
use crate::goldmane::Collector;
use crate::migrate::Manifest;
use crate::object::Object;

/// Everything that was read. Offline it comes from files, see [`InstallationInputs::from_objects`].
#[derive(Clone, Debug)]
pub struct InstallationInputs {
    /// The Installation.
    pub installation: Installation,
    /// The one named `overlay`, which is laid over it already; messages go by it.
    pub overlay: Option<serde_json::Value>,
    /// FelixConfiguration `default`.
    pub felix: Option<Object>,
    /// BGPConfiguration `default`.
    pub bgp: Option<Object>,
    /// All IPPools.
    pub ip_pools: Vec<Object>,
    /// All ImageSets.
    pub image_sets: Vec<ImageSet>,
    /// Secrets of the operator's namespace by name: key pairs, the operator's own and the user's, and pull secrets.
    pub secrets: Secrets,
    /// What pods trust already.
    pub trusted: Trusted,
    /// Data of ConfigMaps that say something of the cluster.
    pub config_maps: ConfigMaps,
    /// What there is of a manifest install in `kube-system`.
    pub manifest: Manifest,
    /// Settings of address management: IPAMConfig `default`, in v3 IPAMConfiguration.
    pub ipam: Option<Object>,
    /// Cluster IPs of Services by `namespace/name`: of those of the cluster's DNS that exist,
    /// `default/kubernetes` and `calico-system/goldmane`.
    pub services: BTreeMap<String, ServiceFacts>,
    /// What nodes must know of Goldmane, if there is one. Its Service is among the others.
    pub goldmane: Option<Collector>,
    /// Where the API servers themselves listen, from the EndpointSlices of `default/kubernetes`.
    pub api_servers: Vec<Endpoint>,
    /// All nodes.
    pub nodes: Vec<NodeFacts>,
    /// API groups that the cluster serves.
    pub api_groups: BTreeSet<String>,
    /// Whether the DaemonSet `kube-system/aws-node` exists, which is Amazon's CNI plugin.
    pub aws_node: bool,
    /// Pod CIDRs of OpenShift's Network `cluster`.
    pub openshift_pod_cidrs: Vec<String>,
    /// OpenShift's Network `cluster` itself, whose status says what runs.
    pub openshift_network: Option<Object>,
    /// The API group of Calico's own resources.
    pub api_group: ApiGroup,
    /// Whether the cluster takes network policies in the operator's tier: Calico's own API answers, and the tier is there.
    pub takes_policies: bool,
    /// Cluster domain, as `cluster.local`.
    pub cluster_domain: String,
    /// Names of variants that extensions provide, aliases included.
    pub variants: Vec<String>,
}

/// Data of ConfigMaps, none where the ConfigMap does not exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigMaps {
    /// `kube-system/kubeadm-config`.
    pub kubeadm: Option<BTreeMap<String, String>>,
    /// `tigera-operator/kubernetes-services-endpoint`: where pods shall reach the API server.
    pub services_endpoint: Option<BTreeMap<String, String>>,
}

/// What matters of a Service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServiceFacts {
    /// Its addresses, one for each IP family; empty for a headless one.
    pub cluster_ips: Vec<String>,
    /// Port named `https`.
    pub https_port: Option<i32>,
}

/// What matters of a Node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeFacts {
    /// Its name.
    pub name: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
}

impl InstallationInputs {
    /// Inputs of a cluster of which nothing is known but its Installation.
    pub fn new(installation: Installation) -> Self {
        Self {
            installation,
            overlay: None,
            felix: None,
            bgp: None,
            ip_pools: Vec::new(),
            image_sets: Vec::new(),
            secrets: Secrets::new(),
            trusted: Trusted::default(),
            config_maps: ConfigMaps::default(),
            manifest: Manifest::default(),
            ipam: None,
            services: BTreeMap::new(),
            goldmane: None,
            api_servers: Vec::new(),
            nodes: Vec::new(),
            api_groups: BTreeSet::new(),
            aws_node: false,
            openshift_pod_cidrs: Vec::new(),
            openshift_network: None,
            api_group: ApiGroup::default(),
            takes_policies: false,
            cluster_domain: "cluster.local".into(),
            variants: Vec::new(),
        }
    }
}
