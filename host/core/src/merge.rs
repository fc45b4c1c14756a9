//! Laying a desired object over the live one.
//!
//! What desired says is set; what it does not mention stays, unless managed fields say that the operator set it and
//! nobody else did. An object is written only if that changes it.

mod anew;
mod change;
mod compare;
pub mod hashes;
mod kinds;
mod lists;
mod managed;
mod metadata;
mod overlay;
mod recreate;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::defaulting;
use crate::defaulting::canonical::{canonical, is_built_in};
use crate::object::{Object, ObjectKey};
use overlay::Overlay;

pub use anew::{Anew, KEPT_MANAGER, anew};
pub use change::{Change, ChangeKind};
pub use managed::{FIELD_MANAGER, OUR_MANAGERS, Setter, setter, wrote as written_by_us};
pub use metadata::is_our_finalizer;

/// What brings a live object to the desired one.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// Nothing.
    Unchanged,
    /// Writing it.
    Update(Update),
    /// Deleting and creating it again, since this field cannot be changed.
    Recreate(&'static str),
}

/// An object to write.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// What to write: the live object with the changes, its resource version included.
    pub object: Value,
    /// What is different from the live one; never empty.
    pub changes: Vec<Change>,
}

/// Works out what to do with a live object.
///
/// `shared`: the object is as much the user's, so no field is taken out of it.
pub fn plan(live: &Value, desired: &Object, shared: bool) -> Plan {
    let key = desired.key();
    let Value::Object(mut live) = live.clone() else { return Plan::Unchanged };
    canonical(key, &mut live);
    let mut wanted = desired.clone();
    defaulting::default(&mut wanted);
    if let Some(field) = recreate::why(key, &live, wanted.fields()) {
        return Plan::Recreate(field);
    }
    kinds::carry_over(key, &live, desired.fields(), wanted.fields_mut());
    let object = lay(key, &live, wanted.fields(), shared);
    let live = Value::Object(live);
    let changes = change::changes(&live, &object);
    if changes.is_empty() { Plan::Unchanged } else { Plan::Update(Update { object, changes }) }
}

fn lay(key: &ObjectKey, live: &Map<String, Value>, wanted: &Map<String, Value>, shared: bool) -> Value {
    let managed = managed::managed(live);
    let overlay = Overlay { built_in: is_built_in(key), removes: !shared };
    // A status is the server's or a controller's, unless it is what the operator has to say of somebody else's object.
    let tells = shared && wanted.contains_key("status");
    let body = |fields: &Map<String, Value>| {
        let meant = |name: &&String| match name.as_str() {
            "metadata" | "apiVersion" | "kind" => false,
            "status" => tells,
            _ => true,
        };
        fields.iter().filter(|(name, _)| meant(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    let mut laid = overlay.map("", &body(live), &body(wanted), &managed);
    laid.insert("metadata".into(), metadata::lay(&overlay, live, wanted, &managed));
    for name in ["apiVersion", "kind"] {
        laid.insert(name.into(), live.get(name).or_else(|| wanted.get(name)).cloned().unwrap_or_default());
    }
    if let Some(status) = live.get("status").filter(|_| !tells) {
        laid.insert("status".into(), status.clone());
    }
    Value::Object(laid)
}

/// Tells desired objects apart without keeping them.
pub fn fingerprint(desired: &Object) -> [u8; 32] {
    // Maps are sorted, so equal objects have equal text.
    let text = serde_json::to_vec(desired.fields()).unwrap_or_default();
    Sha256::digest(text).into()
}

#[cfg(test)]
mod tests;
