//! `Whisker`: the web console for flow logs.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::ComponentStatus;
use crate::installation::Toggle;
use crate::installation::overrides::{Deployment, RankedPodSpec};

/// Changes to the Deployment whisker.
pub type WhiskerDeployment = Deployment<RankedPodSpec<WhiskerContainer>>;

/// How Whisker runs.
#[skip_serializing_none]
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "operator.tigera.io",
    version = "v1",
    kind = "Whisker",
    plural = "whiskers",
    status = "ComponentStatus",
    category = "calico",
    derive = "PartialEq",
    derive = "Default",
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].status",
        description = "True when Whisker runs as configured; TigeraStatus says what does not."
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    doc = "Whisker installs the web console of the same name, which shows the flows that Goldmane collects. It needs a Goldmane. The operator looks at the one named `default`; deleting it removes the console."
)]
#[serde(rename_all = "camelCase")]
pub struct WhiskerSpec {
    /// Changes to the Deployment whisker.
    pub whisker_deployment: Option<WhiskerDeployment>,

    /// Whether the console shows news about Calico in a banner, which it fetches from a service on the Internet. Default: Enabled.
    pub notifications: Option<Toggle>,
}

/// Containers of whisker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum WhiskerContainer {
    /// Serves the console's pages.
    #[serde(rename = "whisker")]
    Whisker,
    /// Fetches flows from Goldmane for them.
    #[serde(rename = "whisker-backend")]
    WhiskerBackend,
}
