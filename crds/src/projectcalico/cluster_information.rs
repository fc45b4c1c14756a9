//! `ClusterInformation`: what the cluster's Calico says about itself.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::object::{Other, kinds};

kinds! {
    /// What the cluster's Calico says about itself; there is one, named `default`.
    ClusterInformation = ClusterInformationSpec,
}

/// What is known.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterInformationSpec {
    /// Identifies the cluster, made once.
    #[serde(rename = "clusterGUID")]
    pub cluster_guid: Option<String>,

    /// What kinds of cluster this is, separated by commas.
    pub cluster_type: Option<String>,

    /// Version of Calico that last started.
    pub calico_version: Option<String>,

    /// Whether components may use the datastore; false during a migration.
    pub datastore_ready: Option<bool>,

    /// The product variant that last started.
    pub variant: Option<String>,

    /// Fields that the operator does not know.
    #[serde(flatten)]
    pub other: Other,
}
