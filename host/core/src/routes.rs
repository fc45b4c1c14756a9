//! Who programs the routes to the pods of other nodes: one choice of the Installation, two resources that say it.

use chimera_crds::installation::{ClusterRoutingMode, InstallationSpec};

use crate::message::Message;
use crate::shared::{Follower, Part, Shared};

/// Records what the operator set `spec.programClusterRoutes` to, in FelixConfiguration and BGPConfiguration.
pub const ROUTES_ANNOTATION: &str = "operator.tigera.io/programClusterRoutes";

const FIELD: &str = "programClusterRoutes";
const ASKED_BY: &str = "spec.calicoNetwork.clusterRoutingMode";

fn mode(spec: &InstallationSpec) -> Option<ClusterRoutingMode> {
    spec.calico_network.as_ref()?.cluster_routing_mode
}

fn follow(resource: &str, want: Option<&str>, live: Shared<'_>, part: &mut Part) -> Result<(), Message> {
    let follower = Follower { resource, field: FIELD, annotation: ROUTES_ANNOTATION, asked_by: ASKED_BY };
    live.follow(&follower, want, part)
}

/// Felix's side of it.
pub(crate) fn felix(spec: &InstallationSpec, live: Shared<'_>, part: &mut Part) -> Result<(), Message> {
    let want = mode(spec).map(|mode| match mode {
        ClusterRoutingMode::Bird => "Disabled",
        ClusterRoutingMode::Felix => "Enabled",
        ClusterRoutingMode::FelixIpipOnly => "EnabledIPIPOnly",
    });
    follow("FelixConfiguration default", want, live, part)
}

/// BIRD's side of it: what Felix leaves.
pub(crate) fn bgp(spec: &InstallationSpec, live: Shared<'_>, part: &mut Part) -> Result<(), Message> {
    let want = mode(spec).map(|mode| match mode {
        ClusterRoutingMode::Bird => "Enabled",
        ClusterRoutingMode::Felix => "Disabled",
        ClusterRoutingMode::FelixIpipOnly => "EnabledNoEncapOnly",
    });
    follow("BGPConfiguration default", want, live, part)
}
