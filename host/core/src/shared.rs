//! Resources that are as much the user's as the operator's: which of their fields the operator set.
//!
//! An annotation records each field that follows the Installation; for the defaults beside them, which clusters carry
//! without one, managed fields are the record.

use serde_json::{Map, Value};

use crate::codes;
use crate::merge::{OUR_MANAGERS, Setter, setter};
use crate::message::Message;
use crate::object::Object;

/// The resource as it is in the cluster, if it is.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'a> {
    live: Option<&'a Map<String, Value>>,
}

/// A field that follows a field of the Installation.
#[derive(Clone, Copy)]
pub(crate) struct Follower<'a> {
    /// The resource, as messages name it.
    pub(crate) resource: &'a str,
    /// Name of the field in `spec`.
    pub(crate) field: &'a str,
    /// Annotation that records what the operator set.
    pub(crate) annotation: &'a str,
    /// What the Installation asks for, as messages give it.
    pub(crate) asked_by: &'a str,
}

/// What to write: fields of `spec` and annotations. Null takes one out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Part {
    pub(crate) spec: Map<String, Value>,
    pub(crate) annotations: Map<String, Value>,
}

impl<'a> Shared<'a> {
    pub(crate) fn new(existing: Option<&'a Object>) -> Self {
        Self { live: existing.map(Object::fields) }
    }

    /// A field of `spec`.
    pub(crate) fn field(self, name: &str) -> Option<&'a Value> {
        self.live?.get("spec")?.get(name)
    }

    /// An annotation.
    pub(crate) fn annotation(self, name: &str) -> Option<&'a str> {
        self.live?.get("metadata")?.get("annotations")?.get(name)?.as_str()
    }

    /// Who set a field of `spec`.
    pub(crate) fn setter(self, name: &str) -> Setter {
        self.live.map_or(Setter::Unknown, |live| setter(live, &["spec", name]))
    }

    /// Whether the operator ever wrote it, by managed fields that a backup has not replaced.
    pub(crate) fn is_known(self) -> bool {
        let entries = self.live.and_then(|live| live.get("metadata")?.get("managedFields")?.as_array());
        let ours = |entry: &Value| {
            entry.get("manager").and_then(Value::as_str).is_some_and(|name| OUR_MANAGERS.contains(&name))
        };
        entries.into_iter().flatten().any(ours)
    }

    /// Works out a field that the Installation decides, or says nothing about (`want` is none).
    pub(crate) fn follow(self, follower: &Follower<'_>, want: Option<&str>, part: &mut Part) -> Result<(), Message> {
        let Follower { resource, field, annotation, asked_by } = *follower;
        let there = self.field(field);
        let recorded = self.annotation(annotation);
        let ours = there.is_some_and(|there| {
            there.as_str().is_some_and(|there| recorded == Some(there)) || self.setter(field) == Setter::Operator
        });
        match (want, there) {
            (Some(want), Some(there)) if there != want && !ours => {
                let detail = format!(
                    "it is {}, but Installation default {asked_by} asks for {want}; remove the field, or change {asked_by}",
                    plain(there)
                );
                return Err(Message::new(&codes::INVALID_CONFIGURATION, detail)
                    .on(resource)
                    .field(format!("spec.{field}")));
            }
            (Some(want), _) => {
                part.spec.insert(field.into(), want.into());
                part.annotations.insert(annotation.into(), want.into());
            }
            (None, _) => {
                if ours {
                    part.spec.insert(field.into(), Value::Null);
                }
                if recorded.is_some() {
                    part.annotations.insert(annotation.into(), Value::Null);
                }
            }
        }
        Ok(())
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), Into::into)
}
