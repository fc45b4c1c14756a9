//! The operator's CRDs, made from the Rust types. `cargo xtask crds` commits the result; at run time [`crate::manifests`] reads that.

mod crd;
mod describe;
mod embedded;
mod inline;

use serde_json::Value;

use crate::{
    ApiServer, GatewayApi, Goldmane, ImageSet, Installation, Istio, ManagementClusterConnection, TigeraStatus, Whisker,
};

/// Why a type makes no CRD. All of these are mistakes in this crate's types.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// A schema refers to a definition that does not exist.
    #[error("failed to resolve the schema {0}")]
    Unresolved(String),
    /// A schema has a part that CRDs know nothing of.
    #[error("failed to read the schema of {kind} as that of a CRD")]
    Unreadable {
        /// The kind.
        kind: String,
        /// What serde says.
        source: serde_json::Error,
    },
    /// A schema is not the one of a resource.
    #[error("failed to find {what} in the schema of {kind}")]
    Incomplete {
        /// The kind.
        kind: String,
        /// The missing part.
        what: &'static str,
    },
}

/// Rules that hold between metadata and the rest, which no field can carry.
const INSTALLATION_NAME: crd::Rule = crd::Rule {
    rule: "self.metadata.name == 'default' || self.metadata.name == 'overlay'",
    message: "the operator looks only at the Installation named `default` (and at `overlay`, which is laid over it): rename this one",
    field: ".metadata.name",
};

/// Of most kinds there is one.
const ONLY_DEFAULT: crd::Rule = crd::Rule {
    rule: "self.metadata.name == 'default'",
    message: "the operator looks only at the one of this kind that is named `default`: rename this one",
    field: ".metadata.name",
};

/// Variants know some of them by a name of their own. Which one that is comes from the plugin that is loaded, so here only its shape is
/// checked.
const DEFAULT_OR_OF_A_VARIANT: crd::Rule = crd::Rule {
    rule: "self.metadata.name == 'default' || self.metadata.name.startsWith('tigera-')",
    message: "the operator looks only at the one of this kind that is named `default` (a variant's plugin may know another name, which starts with `tigera-`): rename this one",
    field: ".metadata.name",
};

/// The operator's CRDs as JSON, keys sorted, in the order of their names.
///
/// # Errors
///
/// [`GenerateError`], if a type has a shape that a CRD cannot have.
pub fn operator_crds() -> Result<Vec<Value>, GenerateError> {
    Ok(vec![
        crd::of::<ApiServer>(&[DEFAULT_OR_OF_A_VARIANT])?,
        crd::of::<GatewayApi>(&[DEFAULT_OR_OF_A_VARIANT])?,
        crd::of::<Goldmane>(&[ONLY_DEFAULT])?,
        crd::of::<ImageSet>(&[])?,
        crd::of::<Installation>(&[INSTALLATION_NAME])?,
        crd::of::<Istio>(&[ONLY_DEFAULT])?,
        crd::of::<ManagementClusterConnection>(&[DEFAULT_OR_OF_A_VARIANT])?,
        crd::of::<TigeraStatus>(&[])?,
        crd::of::<Whisker>(&[ONLY_DEFAULT])?,
    ])
}
