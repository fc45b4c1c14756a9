//! What watches know about the versions of objects.

use chimera_core::object::ObjectKey;

/// What is known about an object without asking the API server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// Its kind is not watched there.
    Unknown,
    /// It is watched, and it is not there.
    Absent,
    /// It was last seen so.
    At {
        /// `metadata.uid`.
        uid: String,
        /// `metadata.resourceVersion`.
        resource_version: String,
    },
}

/// Tells which version of an object was last seen.
pub trait LiveVersions: Send + Sync {
    /// Of this object.
    fn version(&self, key: &ObjectKey) -> Known;
}

/// Knows nothing, so that each object is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct NothingKnown;

impl LiveVersions for NothingKnown {
    fn version(&self, _key: &ObjectKey) -> Known {
        Known::Unknown
    }
}
