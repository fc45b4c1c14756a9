//! The two API groups, and what each kind is called in them.

use std::fmt;
use std::str::FromStr;

/// The API group in which a cluster serves Calico's resources to the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ApiGroup {
    /// `crd.projectcalico.org/v1`: the storage behind Calico's API server, or Calico without one.
    V1,
    /// `projectcalico.org/v3`: Calico's own API, as CRDs.
    V3,
}

/// A text that names neither API group.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an API group of Calico's resources: use `crd.projectcalico.org/v1` or `projectcalico.org/v3`")]
pub struct ApiGroupError(String);

impl ApiGroup {
    /// The group's name.
    #[must_use]
    pub const fn group(self) -> &'static str {
        match self {
            Self::V1 => "crd.projectcalico.org",
            Self::V3 => "projectcalico.org",
        }
    }

    /// The version within the group.
    #[must_use]
    pub const fn version(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V3 => "v3",
        }
    }

    /// What stands in `apiVersion`.
    #[must_use]
    pub const fn api_version(self) -> &'static str {
        match self {
            Self::V1 => "crd.projectcalico.org/v1",
            Self::V3 => "projectcalico.org/v3",
        }
    }
}

impl fmt::Display for ApiGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.api_version())
    }
}

impl FromStr for ApiGroup {
    type Err = ApiGroupError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::V1, Self::V3]
            .into_iter()
            .find(|group| group.api_version() == text)
            .ok_or_else(|| ApiGroupError(text.to_owned()))
    }
}

/// The kinds that have a type in this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// How BGP is spoken.
    BgpConfiguration,
    /// What the cluster's Calico is.
    ClusterInformation,
    /// How Felix behaves.
    FelixConfiguration,
    /// A policy for the whole cluster.
    GlobalNetworkPolicy,
    /// How addresses are handed out; its name differs between the groups.
    IpamConfig,
    /// A pool of addresses.
    IpPool,
    /// How kube-controllers behaves.
    KubeControllersConfiguration,
    /// A policy within a namespace.
    NetworkPolicy,
    /// An ordered set of policies.
    Tier,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 9] = [
        Self::BgpConfiguration,
        Self::ClusterInformation,
        Self::FelixConfiguration,
        Self::GlobalNetworkPolicy,
        Self::IpamConfig,
        Self::IpPool,
        Self::KubeControllersConfiguration,
        Self::NetworkPolicy,
        Self::Tier,
    ];

    /// What stands in `kind`.
    #[must_use]
    pub const fn kind(self, group: ApiGroup) -> &'static str {
        match (self, group) {
            (Self::BgpConfiguration, _) => "BGPConfiguration",
            (Self::ClusterInformation, _) => "ClusterInformation",
            (Self::FelixConfiguration, _) => "FelixConfiguration",
            (Self::GlobalNetworkPolicy, _) => "GlobalNetworkPolicy",
            (Self::IpamConfig, ApiGroup::V1) => "IPAMConfig",
            (Self::IpamConfig, ApiGroup::V3) => "IPAMConfiguration",
            (Self::IpPool, _) => "IPPool",
            (Self::KubeControllersConfiguration, _) => "KubeControllersConfiguration",
            (Self::NetworkPolicy, _) => "NetworkPolicy",
            (Self::Tier, _) => "Tier",
        }
    }

    /// The resource's name in URLs and RBAC rules.
    #[must_use]
    pub const fn plural(self, group: ApiGroup) -> &'static str {
        match (self, group) {
            (Self::BgpConfiguration, _) => "bgpconfigurations",
            (Self::ClusterInformation, _) => "clusterinformations",
            (Self::FelixConfiguration, _) => "felixconfigurations",
            (Self::GlobalNetworkPolicy, _) => "globalnetworkpolicies",
            (Self::IpamConfig, ApiGroup::V1) => "ipamconfigs",
            (Self::IpamConfig, ApiGroup::V3) => "ipamconfigurations",
            (Self::IpPool, _) => "ippools",
            (Self::KubeControllersConfiguration, _) => "kubecontrollersconfigurations",
            (Self::NetworkPolicy, _) => "networkpolicies",
            (Self::Tier, _) => "tiers",
        }
    }

    /// Whether objects of this kind live in a namespace.
    #[must_use]
    pub const fn is_namespaced(self) -> bool {
        matches!(self, Self::NetworkPolicy)
    }
}
