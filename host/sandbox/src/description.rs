//! What a plugin says of itself.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::grants::{Capability, Unknown};

/// When a plugin's modifiers run among those of all plugins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Builds what others refine.
    Early,
    /// For most.
    #[default]
    Normal,
    /// Checks or hardens what all others left.
    Late,
}

/// A variant of the product.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Variant {
    /// Name.
    pub name: String,
    /// Other spellings.
    pub aliases: Vec<String>,
}

/// What a plugin says of itself; all neutral if it says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Description {
    /// Name that its author gave it.
    pub name: String,
    /// Version.
    pub version: String,
    /// Phase.
    pub phase: Phase,
    /// Order within the phase: higher runs earlier.
    pub priority: i32,
    /// Variants that it provides.
    pub variants: Vec<Variant>,
    /// Names of the capabilities that it needs.
    pub capabilities: Vec<String>,
    /// JSON Schema of its settings.
    pub settings_schema: Option<String>,
}

impl Description {
    /// The capabilities it needs.
    ///
    /// # Errors
    /// The first one that this host does not know.
    pub(crate) fn declared(&self) -> Result<BTreeSet<Capability>, Unknown> {
        self.capabilities.iter().map(|name| name.parse()).collect()
    }
}
