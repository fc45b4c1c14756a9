//! What each object came to when it was last compared, by version and by what was desired.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chimera_core::object::ObjectKey;
use jiff::Timestamp;
use serde_json::Value;

use super::live::Known;

/// What an object came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// As it should be.
    Settled,
    /// It carries the ignore annotation.
    Ignored,
    /// Something else keeps changing it.
    Contested {
        /// First of the fields.
        field: String,
        /// Tells the values apart that it was changed to.
        values: [u8; 32],
        /// When it was last found out.
        found: Timestamp,
        /// Whether admission changes each write; else it changes later, by other hands.
        admission: bool,
    },
    /// It was to be deleted, but it is not the operator's.
    NotOurs,
}

/// How often an object was set back lately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rounds {
    pub(super) count: u8,
    pub(super) since: Timestamp,
}

#[derive(Clone, Debug)]
struct Entry {
    uid: String,
    resource_version: String,
    desired: [u8; 32],
    verdict: Verdict,
    rounds: Option<Rounds>,
}

/// What is remembered; a few hundred bytes an object.
#[derive(Debug, Default)]
pub(super) struct Memory(Mutex<BTreeMap<ObjectKey, Entry>>);

impl Memory {
    fn entries(&self) -> MutexGuard<'_, BTreeMap<ObjectKey, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What this version of the object came to, if it was compared with the same desired one. A version older than the
    /// operator's own last write tells nothing new: the watch is late, and another reconcile follows.
    pub(super) fn verdict(&self, key: &ObjectKey, version: &Known, desired: [u8; 32]) -> Option<Verdict> {
        let Known::At { uid, resource_version } = version else { return None };
        let entries = self.entries();
        let entry = entries.get(key).filter(|entry| entry.desired == desired && entry.uid == *uid)?;
        (!is_newer(resource_version, &entry.resource_version)).then(|| entry.verdict.clone())
    }

    /// Whether the object was there when the operator last looked.
    pub(super) fn knows(&self, key: &ObjectKey) -> bool {
        self.entries().contains_key(key)
    }

    /// The version of the object when the operator last wrote or compared it.
    pub(super) fn version(&self, key: &ObjectKey) -> Option<String> {
        self.entries().get(key).map(|entry| entry.resource_version.clone())
    }

    /// What was remembered for the same desired object, whatever its version.
    pub(super) fn last(&self, key: &ObjectKey, desired: [u8; 32]) -> Option<(Verdict, Option<Rounds>)> {
        let entries = self.entries();
        let entry = entries.get(key).filter(|entry| entry.desired == desired)?;
        Some((entry.verdict.clone(), entry.rounds))
    }

    /// Remembers what a live object came to; the rounds stay while the same is desired.
    pub(super) fn remember(&self, key: &ObjectKey, live: &Value, desired: [u8; 32], verdict: Verdict) {
        let text = |name| live.pointer(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (uid, resource_version) = (text("/metadata/uid"), text("/metadata/resourceVersion"));
        let mut entries = self.entries();
        let rounds = entries.get(key).filter(|entry| entry.desired == desired).and_then(|entry| entry.rounds);
        entries.insert(key.clone(), Entry { uid, resource_version, desired, verdict, rounds });
    }

    pub(super) fn set_rounds(&self, key: &ObjectKey, rounds: Option<Rounds>) {
        if let Some(entry) = self.entries().get_mut(key) {
            entry.rounds = rounds;
        }
    }

    pub(super) fn forget(&self, key: &ObjectKey) {
        self.entries().remove(key);
    }
}

/// Resource versions are numbers that grow; where one is not, any other version counts as newer.
fn is_newer(seen: &str, known: &str) -> bool {
    match (seen.parse::<u128>(), known.parse::<u128>()) {
        (Ok(seen), Ok(known)) => seen > known,
        _ => seen != known,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(resource_version: &str, uid: &str) -> Known {
        Known::At { uid: uid.into(), resource_version: resource_version.into() }
    }

    #[test]
    fn only_a_newer_version_or_another_object_or_wish_is_compared_again() {
        let (memory, key) = (Memory::default(), ObjectKey::cluster("v1", "Namespace", "meadow"));
        memory.remember(&key, &json!({"metadata": {"uid": "u", "resourceVersion": "99"}}), [1; 32], Verdict::Settled);
        for (version, desired, settled) in [
            (at("99", "u"), [1; 32], true),
            (at("98", "u"), [1; 32], true),
            (at("100", "u"), [1; 32], false),
            (at("x", "u"), [1; 32], false),
            (at("99", "v"), [1; 32], false),
            (at("99", "u"), [2; 32], false),
            (Known::Unknown, [1; 32], false),
            (Known::Absent, [1; 32], false),
        ] {
            assert_eq!(memory.verdict(&key, &version, desired).is_some(), settled, "{version:?} {desired:?}");
        }
    }
}
