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
/// So often an object that other hands change is set back once more: they may have gone, which nothing tells either.
const TRY_EVERY: SignedDuration = SignedDuration::from_hours(1);
/// Within this time.
const WINDOW: SignedDuration = SignedDuration::from_mins(10);

/// Fields that are to have another value; fields that merely come back are defaults of the API server.
pub(super) fn set(update: &Update) -> impl Iterator<Item = &Change> {
    update.changes.iter().filter(|change| change.kind == ChangeKind::Set)
}

/// The verdict on an object that has other values than it was given, found out at a moment.
pub(super) fn contested(live: &Value, update: &Update, found: Timestamp, admission: bool) -> Verdict {
    let field = set(update).next().map(|change| change.field.clone()).unwrap_or_default();
    Verdict::Contested { field, values: values(live, update), found, admission }
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
            Verdict::Contested { values: before, found, admission, .. } if before == values(live, update) => {
                let tries = match admission {
                    true => !spent && self.holds(desired, update).await,
                    false => self.has_passed(found, TRY_EVERY),
                };
                let found = if admission { self.clock.now() } else { found };
                (!tries).then(|| contested(live, update, found, admission))
            }
            _ => spent.then(|| contested(live, update, self.clock.now(), false)),
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

    /// Whether it is time to look again at an object that something else changes.
    pub(super) fn is_due(&self, verdict: &Verdict) -> bool {
        match verdict {
            Verdict::Contested { found, admission: true, .. } => self.has_passed(*found, ASK_EVERY),
            Verdict::Contested { found, admission: false, .. } => self.has_passed(*found, TRY_EVERY),
            _ => false,
        }
    }

    fn has_passed(&self, since: Timestamp, span: SignedDuration) -> bool {
        self.clock.now().duration_since(since).abs() > span
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
