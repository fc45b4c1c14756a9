//! The operator's CRDs, made from the Rust types. `cargo xtask crds` commits the result; at run time [`crate::manifests`] reads that.

mod crd;
mod describe;
mod embedded;
mod inline;

use serde_json::Value;

use crate::{ImageSet, Installation, TigeraStatus};

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
const INSTALLATION_NAME: &str = "self.metadata.name == 'default' || self.metadata.name == 'overlay'";

/// The operator's CRDs as JSON, keys sorted, in the order of their names.
///
/// # Errors
///
/// [`GenerateError`], if a type has a shape that a CRD cannot have.
pub fn operator_crds() -> Result<Vec<Value>, GenerateError> {
    let name = crd::Rule {
        rule: INSTALLATION_NAME,
        message: "the operator looks only at the Installation named `default` (and at `overlay`, which is laid over it): rename this one",
        field: ".metadata.name",
    };
    Ok(vec![crd::of::<ImageSet>(&[])?, crd::of::<Installation>(&[name])?, crd::of::<TigeraStatus>(&[])?])
}
