//! The projectcalico.org resources that the operator reads or writes.
//!
//! They exist in two API groups, of which a cluster serves one to the operator, so a type is bound to its group only at run time:
//! [`ApiGroup`] is the [`kube::Resource::DynamicType`] of every kind here. The operator owns few of their fields; all others are kept as
//! they are in `other`, so that reading and writing back loses nothing.

pub mod bgp_configuration;
pub mod cluster_information;
pub mod felix_configuration;
pub mod group;
pub mod ip_pool;
pub mod ipam_config;
pub mod kube_controllers_configuration;
pub mod object;
pub mod policy;
pub mod tier;

pub use bgp_configuration::{BgpConfiguration, BgpConfigurationSpec};
pub use cluster_information::{ClusterInformation, ClusterInformationSpec};
pub use felix_configuration::{FelixConfiguration, FelixConfigurationSpec, RouteTableRange};
pub use group::{ApiGroup, Kind};
pub use ip_pool::{IpPool, IpPoolSpec, TunnelMode};
pub use ipam_config::{IpamConfig, IpamConfigSpec};
pub use kube_controllers_configuration::{KubeControllersConfiguration, KubeControllersConfigurationSpec};
pub use object::{Object, Other, Spec};
pub use policy::{
    EntityRule, GlobalNetworkPolicy, GlobalNetworkPolicySpec, NetworkPolicy, NetworkPolicySpec, Rule, ServiceMatch,
};
pub use tier::{Tier, TierSpec};
