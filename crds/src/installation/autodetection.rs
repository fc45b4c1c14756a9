//! How a node finds its own address.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// How each node finds the address that it uses for one IP family. At most one way can be chosen.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend(
    "x-kubernetes-map-type" = "atomic",
    "x-kubernetes-validations" = [{
        "rule": "[has(self.firstFound) && self.firstFound == true, has(self.kubernetes), has(self.interface) && size(self.interface) > 0, has(self.skipInterface) && size(self.skipInterface) > 0, has(self.canReach) && size(self.canReach) > 0, has(self.cidrs) && size(self.cidrs) > 0].filter(x, x).size() <= 1",
        "message": "more than one way to find the node's address is set: keep one of firstFound, kubernetes, interface, skipInterface, canReach, cidrs"
    }]
))]
pub struct NodeAddressAutodetection {
    /// Takes the first usable address of the first usable interface.
    pub first_found: Option<bool>,

    /// Takes an address that the Node resource lists.
    pub kubernetes: Option<KubernetesAutodetectionMethod>,

    /// Takes an address of the first interface whose name matches this regular expression. Several expressions are separated by commas.
    pub interface: Option<String>,

    /// Takes an address of the first interface whose name does not match this regular expression. Several are separated by commas.
    pub skip_interface: Option<String>,

    /// Takes the address that the node would send from to reach this address or host name. Nothing is sent.
    pub can_reach: Option<String>,

    /// Takes the first address that lies in one of these ranges.
    pub cidrs: Option<Vec<String>>,
}

/// Which address of the Node resource is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum KubernetesAutodetectionMethod {
    /// The first address of type InternalIP.
    #[serde(rename = "NodeInternalIP")]
    NodeInternalIp,
}
