//! The custom resource that a reconcile is about.

use chimera_core::object::ObjectKey;
use serde_json::Value;
use tracing::Span;

/// API version of the operator's own resources.
pub const API_VERSION: &str = "operator.tigera.io/v1";
/// Kind of the Installation.
pub const INSTALLATION: &str = "Installation";

/// Names it, and which generation of it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// What names it.
    pub key: ObjectKey,
    /// `metadata.uid`.
    pub uid: Option<String>,
    /// `metadata.generation`.
    pub generation: Option<i64>,
}

impl Subject {
    /// Of a resource as it was read; the span of the reconcile names it from now on.
    pub fn of(live: &Value) -> Self {
        let text = |pointer: &str| live.pointer(pointer).and_then(Value::as_str);
        let key = ObjectKey::cluster(
            text("/apiVersion").unwrap_or(API_VERSION),
            text("/kind").unwrap_or(INSTALLATION),
            text("/metadata/name").unwrap_or_default(),
        );
        let generation = live.pointer("/metadata/generation").and_then(Value::as_i64);
        let span = Span::current();
        span.record("object", key.to_string());
        span.record("generation", generation);
        Self { key, uid: text("/metadata/uid").map(Into::into), generation }
    }

    /// The Installation of which nothing could be read.
    pub fn installation() -> Self {
        Self { key: ObjectKey::cluster(API_VERSION, INSTALLATION, "default"), uid: None, generation: None }
    }
}
