//! The switch that many fields share.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A switch. What being on means is said by the field that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub enum Toggle {
    /// On.
    Enabled,
    /// Off.
    Disabled,
}

impl Toggle {
    /// Whether the switch is on.
    #[must_use]
    pub fn is_enabled(self) -> bool {
        self == Self::Enabled
    }
}

// Written out so that the two words get no description of their own below every field.
impl JsonSchema for Toggle {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Toggle".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": ["Enabled", "Disabled"] })
    }
}
