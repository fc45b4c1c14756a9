//! Keeps the operator from writing an object for ever that something else changes each time.

use chimera_core::merge::{Change, ChangeKind, Update};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::memory::{Rounds, Verdict};
use super::{Applier, Desired};

/// So often an object is set back before the operator stops.
pub(super) const ROUNDS: u8 = 3;
/// Within this time.
const WINDOW: SignedDuration = SignedDuration::from_mins(10);

/// Fields that are to have another value; fields that merely come back are defaults of the API server.
pub(super) fn set(update: &Update) -> impl Iterator<Item = &Change> {
    update.changes.iter().filter(|change| change.kind == ChangeKind::Set)
}

/// The verdict on an object that has other values than it was given.
pub(super) fn contested(live: &Value, update: &Update) -> Verdict {
    let field = set(update).next().map(|change| change.field.clone()).unwrap_or_default();
    Verdict::Contested { field, values: values(live, update) }
}

fn values(live: &Value, update: &Update) -> [u8; 32] {
    let mut digest = Sha256::new();
    for change in set(update) {
        digest.update(change.pointer.as_bytes());
        let value = live.pointer(&change.pointer).map(Value::to_string).unwrap_or_default();
        digest.update(value.as_bytes());
    }
    digest.finalize().into()
}

impl Applier {
    /// Whether to leave an object as it is, after having set it back too often.
    pub(super) fn gives_way(&self, desired: &Desired<'_>, live: &Value, update: &Update) -> Option<Verdict> {
        let (verdict, rounds) = self.memory.last(desired.object.key(), desired.fingerprint)?;
        let recent = rounds.filter(|rounds| is_recent(rounds, self.clock.now()));
        let unchanged =
            matches!(&verdict, Verdict::Contested { values: before, .. } if *before == values(live, update));
        let spent = recent.is_some_and(|rounds| rounds.count >= ROUNDS);
        (unchanged || spent).then(|| contested(live, update))
    }

    /// Counts that an object which had been as it should be was set back.
    pub(super) fn count_round(&self, desired: &Desired<'_>) {
        let now = self.clock.now();
        let before = self.memory.last(desired.object.key(), desired.fingerprint).and_then(|(_, rounds)| rounds);
        let rounds = match before.filter(|rounds| is_recent(rounds, now)) {
            Some(rounds) => Rounds { count: rounds.count.saturating_add(1), since: rounds.since },
            None => Rounds { count: 1, since: now },
        };
        self.memory.set_rounds(desired.object.key(), Some(rounds));
    }
}

fn is_recent(rounds: &Rounds, now: Timestamp) -> bool {
    now.duration_since(rounds.since).abs() < WINDOW
}
