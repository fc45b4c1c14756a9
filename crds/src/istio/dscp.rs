//! What a DSCP mark looks like.

use schemars::{Schema, SchemaGenerator, json_schema};

/// Number, as text too, or the name of a class; case does not matter.
const RULE: &str = "type(self) != string || self.matches('^(?i:0*(6[0-3]|[1-5]?[0-9])|DF|EF|AF[1-4][1-3]|CS[0-6])$')";

/// A whole number or a name. The bounds hold for numbers, the rule for names. A `type` would have server-side apply refuse names.
pub(super) fn schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "anyOf": [{ "type": "integer" }, { "type": "string" }],
        "x-kubernetes-int-or-string": true,
        "pattern": "^.*",
        "minimum": 0,
        "maximum": 63,
        "x-kubernetes-validations": [{
            "rule": RULE,
            "message": "a DSCP mark is a number from 0 to 63, or one of DF, EF, AF11 to AF43, CS0 to CS6"
        }]
    })
}
