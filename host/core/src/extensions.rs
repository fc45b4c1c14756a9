//! The seam between the core and whatever extends it: the trait [`Extensions`], with no-op defaults.
//!
//! The core knows no plugin and no variant. The operator's wiring hands in an implementation; [`NoExtensions`] is the
//! plain one.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api_server::ApiServerConfig;
use crate::cluster_connection::ClusterConnectionConfig;
use crate::csr::CsrConfig;
use crate::following::Following;
use crate::gateway_api::GatewayApiConfig;
use crate::goldmane::GoldmaneConfig;
use crate::installation::config::{ApiGroup, InstallationConfig};
use crate::istio::IstioConfig;
use crate::object::{Object, ObjectKey};
use crate::tiers::TiersConfig;
use crate::whisker::WhiskerConfig;

/// What an extension wants done to a component. What it does not mention stays as it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Adds an object that is not there yet.
    Add(Object),
    /// Puts another object in the place of the one with the same key.
    Replace(Object),
    /// Drops an object.
    Remove {
        /// Which one.
        key: ObjectKey,
        /// Why, for the status and `explain`.
        reason: String,
    },
}

/// Kind of an [`ExtensionError`]; closed, new meanings go into its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// The user's configuration cannot be served.
    InvalidConfig,
    /// Something it needs is not there yet.
    NotReady,
    /// It wanted what it has no grant for.
    Denied,
    /// It is broken: a trap, a limit, an answer that makes no sense.
    Internal,
    /// Anything else.
    Other,
}

/// An extension could not do its work. The component stays frozen: nothing of it is applied.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("plugin {plugin} ({digest}) failed: {reason}: {message}")]
pub struct ExtensionError {
    /// Name of the plugin.
    pub plugin: String,
    /// `sha256:…` of its bytes.
    pub digest: String,
    /// Kind.
    pub kind: ErrorKind,
    /// PascalCase, open.
    pub reason: String,
    /// For an administrator.
    pub message: String,
    /// Path of the field at fault, if one is.
    pub field_path: Option<String>,
    /// When to try again, in milliseconds; none: on the next change.
    pub retry_after_ms: Option<u32>,
}

/// One extension's answer for one component.
#[derive(Clone, Debug, PartialEq)]
pub struct Modification {
    /// Name of the plugin.
    pub plugin: String,
    /// `sha256:…` of its bytes.
    pub digest: String,
    /// What it wants done, in order.
    pub operations: Vec<Operation>,
}

/// Facts about the cluster and the reconcile that every modifier is given.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CommonConfig {
    /// Cluster domain, as `cluster.local`.
    pub cluster_domain: String,
    /// Kubernetes provider (`EKS`, …), empty if none.
    pub provider: String,
    /// The variant that the Installation names, empty for the stock one.
    pub variant: String,
    /// The effective custom resource of the component's controller, as JSON.
    pub resource: Value,
}

/// What is known of the cluster before anything is applied to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartupConfig {
    /// API groups that the cluster serves.
    pub api_groups: BTreeSet<String>,
    /// The one of Calico's own resources.
    pub api_group: ApiGroup,
    /// Cluster domain, as `cluster.local`.
    pub cluster_domain: String,
    /// The operator's own namespace.
    pub operator_namespace: String,
}

/// Which typed config goes with a component: one case an extension point.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Point<'a> {
    /// Components of the Installation.
    Installation(&'a InstallationConfig),
    /// Components of the Installation for Windows nodes.
    Windows(&'a InstallationConfig),
    /// Components of the GatewayAPI.
    GatewayApi(&'a GatewayApiConfig),
    /// Components of the Istio.
    Istio(&'a IstioConfig),
    /// The service that collects flows.
    Goldmane(&'a GoldmaneConfig),
    /// The web console for flows.
    Whisker(&'a WhiskerConfig),
    /// Calico's API server and its webhooks.
    ApiServer(&'a ApiServerConfig),
    /// The tier of the operator's network policies.
    Tiers(&'a TiersConfig),
    /// Components of the ManagementClusterConnection.
    ClusterConnection(&'a ClusterConnectionConfig),
    /// What goes with certificate signing requests that the operator answers.
    Csr(&'a CsrConfig),
    /// The gateway in front of a variant's user interface. The core has none: a plugin that brings one is the renderer.
    UiGateway(&'a CommonConfig),
    /// Components of a point without a typed config.
    Other(&'a CommonConfig),
}

impl Point<'_> {
    /// Name as in the interface (`modify-installation`).
    pub fn name(&self) -> &'static str {
        match self {
            Self::Installation(_) => "installation",
            Self::Windows(_) => "windows",
            Self::GatewayApi(_) => "gateway-api",
            Self::Istio(_) => "istio",
            Self::Goldmane(_) => "goldmane",
            Self::Whisker(_) => "whisker",
            Self::ApiServer(_) => "api-server",
            Self::Tiers(_) => "tiers",
            Self::ClusterConnection(_) => "cluster-connection",
            Self::Csr(_) => "csr",
            Self::UiGateway(_) => "ui-gateway",
            Self::Other(_) => "any",
        }
    }

    /// What the config has in common with those of other components that have a resource of their own.
    pub fn following(&self) -> Option<&dyn Following> {
        match self {
            Self::GatewayApi(config) => Some(*config),
            Self::Istio(config) => Some(*config),
            Self::ApiServer(config) => Some(*config),
            Self::Tiers(config) => Some(*config),
            Self::ClusterConnection(config) => Some(*config),
            Self::Csr(config) => Some(*config),
            Self::Installation(_) | Self::Windows(_) | Self::UiGateway(_) | Self::Other(_) => None,
            Self::Goldmane(config) => Some(*config),
            Self::Whisker(config) => Some(*config),
        }
    }

    /// The Installation's config, if that is what the component follows from.
    pub fn installation(&self) -> Option<&InstallationConfig> {
        match self {
            Self::Installation(config) | Self::Windows(config) => Some(config),
            point => point.following().map(Following::installation),
        }
    }
}

/// A component as an extension sees it.
#[derive(Clone, Copy, Debug)]
pub struct ComponentView<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its objects, in order.
    pub objects: &'a [Object],
}

/// Extends what the core renders.
pub trait Extensions: Send + Sync {
    /// How many modifiers there are; they are called in this order.
    fn modifiers(&self) -> usize {
        0
    }

    /// Lets one modifier (by its place in the order) change a component of the given point.
    ///
    /// `None`: this modifier has nothing for this point.
    ///
    /// # Errors
    /// If the modifier failed or refused; the component is frozen then.
    fn modify(
        &self,
        _modifier: usize,
        _point: Point<'_>,
        _component: ComponentView<'_>,
    ) -> Result<Option<Modification>, ExtensionError> {
        Ok(None)
    }

    /// Looks at the cluster before anything is applied to it by this set of extensions.
    ///
    /// # Errors
    /// If one of them cannot serve such a cluster: the set is not used then, and nothing is applied at the start.
    fn startup(&self, _config: &StartupConfig) -> Result<(), ExtensionError> {
        Ok(())
    }

    /// Names of variants that extensions provide, aliases included.
    fn variants(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Extends nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoExtensions;

impl Extensions for NoExtensions {}
