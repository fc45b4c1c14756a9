//! The name of the product variant to install. Which names exist is known only once plugins are loaded.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// Longest name, in bytes: that of a label value, so that it fits wherever it may be written.
pub const MAX_LENGTH: usize = 63;

/// A variant's name: PascalCase, ASCII letters and digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Variant(String);

/// A name that no variant can have.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not the name of a variant: use a capital letter followed by at most 62 letters and digits, such as `Calico`"
)]
pub struct VariantError(String);

impl Variant {
    /// The variant that the operator knows without any plugin.
    pub const CALICO: &'static str = "Calico";

    /// The name as it stands in the resource.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the variant that needs no plugin.
    #[must_use]
    pub fn is_calico(&self) -> bool {
        self.0 == Self::CALICO
    }
}

impl Default for Variant {
    fn default() -> Self {
        Self(Self::CALICO.to_owned())
    }
}

impl TryFrom<String> for Variant {
    type Error = VariantError;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        let starts_well = name.starts_with(|c: char| c.is_ascii_uppercase());
        if starts_well && name.len() <= MAX_LENGTH && name.chars().all(|c| c.is_ascii_alphanumeric()) {
            Ok(Self(name))
        } else {
            Err(VariantError(name))
        }
    }
}

impl From<Variant> for String {
    fn from(variant: Variant) -> Self {
        variant.0
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl JsonSchema for Variant {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Variant".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[A-Z][A-Za-z0-9]*$", "maxLength": MAX_LENGTH })
    }
}
