//! Keeps the operator from writing an object for ever that something else changes each time.

use chimera_core::merge::{Change, ChangeKind, Plan, Update, plan};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::memory::{Rounds, Verdict};
use super::{Applier, Desired};

/// So often an object is set back before the operator stops.
pub(super) const ROUNDS: u8 = 3;
/// So often at most it is asked whether admission still changes an object: nothing tells when a policy or webhook goes.
const ASK_EVERY: SignedDuration = SignedDuration::from_secs(10);
/// Within this time.
const WINDOW: SignedDuration = SignedDuration::from_mins(10);

/// Fields that are to have another value; fields that merely come back are defaults of the API server.
pub(super) fn set(update: &Update) -> impl Iterator<Item = &Change> {
    update.changes.iter().filter(|change| change.kind == ChangeKind::Set)
}

/// The verdict on an object that has other values than it was given, by admission since the moment given.
pub(super) fn contested(live: &Value, update: &Update, admission: Option<Timestamp>) -> Verdict {
    let field = set(update).next().map(|change| change.field.clone()).unwrap_or_default();
    Verdict::Contested { field, values: values(live, update), admission }
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
    pub(super) async fn gives_way(&self, desired: &Desired<'_>, live: &Value, update: &Update) -> Option<Verdict> {
        let (verdict, rounds) = self.memory.last(desired.object.key(), desired.fingerprint)?;
        let recent = rounds.filter(|rounds| is_recent(rounds, self.clock.now()));
        let spent = recent.is_some_and(|rounds| rounds.count >= ROUNDS);
        match verdict {
            Verdict::Contested { values: before, admission, .. } if before == values(live, update) => {
                if admission.is_some() && !spent && self.holds(desired, update).await {
                    return None;
                }
                Some(contested(live, update, admission.map(|_| self.clock.now())))
            }
            _ => spent.then(|| contested(live, update, None)),
        }
    }

    /// Whether an object would keep what it is given. Asked in a trial, which writes nothing.
    async fn holds(&self, desired: &Desired<'_>, update: &Update) -> bool {
        let trial = self.requests.replace(desired.object.key(), &update.object, true).await;
        trial.is_ok_and(|trial| match plan(&trial, desired.object, desired.shared) {
            Plan::Update(again) => set(&again).next().is_none(),
            _ => true,
        })
    }

    /// Whether it is time to look again at an object that admission changes.
    pub(super) fn is_due(&self, verdict: &Verdict) -> bool {
        let asked = match verdict {
            Verdict::Contested { admission, .. } => *admission,
            _ => None,
        };
        asked.is_some_and(|asked| self.clock.now().duration_since(asked).abs() > ASK_EVERY)
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
