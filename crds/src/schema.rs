//! What an API server that serves this crate's CRDs would refuse, worked out without one.
//!
//! Structure only: unknown and missing fields, types, enums, bounds, patterns, formats, keys of lists. Rules in CEL are not evaluated;
//! the operator's own validation says the same.

mod find;
mod format;
mod names;
mod text;
mod walk;

use serde_json::Value;

/// One thing that would be refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Path of the field, such as `spec.calicoNetwork.ipPools[0].cidr`.
    pub path: String,
    /// What is wrong there, in the API server's terms.
    pub message: String,
    /// The field is not in the schema. `kubectl` refuses to send it; a client that does not validate loses it silently.
    pub unknown: bool,
}

/// The schema of one kind, for whoever checks many objects of it.
#[derive(Clone, Debug)]
pub struct Schema(Value);

impl Schema {
    /// Of an object's kind and version; none if that is not of this crate.
    pub fn of(object: &Value) -> Option<Self> {
        find::schema(object).map(Self)
    }

    /// Everything that would be refused in an object of the kind, in the order of its fields.
    pub fn problems(&self, object: &Value) -> Vec<Problem> {
        names::problems(object).into_iter().chain(walk::problems(&self.0, object)).collect()
    }
}

/// The version that a kind of a group of this crate is served in.
///
/// # Errors
/// There is no such kind; a name that is much like it, if there is one.
pub fn served(group: &str, kind: &str) -> Result<String, Option<String>> {
    find::version(group, kind)
}

/// Everything that would be refused in an object; nothing for a kind that is not of this crate.
pub fn problems(object: &Value) -> Vec<Problem> {
    Schema::of(object).map(|schema| schema.problems(object)).unwrap_or_default()
}
