//! An object that may be there: read it, compare, write only what is different.

use chimera_core::merge::{Change, ChangeKind, Plan, Update, plan, written_by_us};
use serde_json::Value;

use super::contest::set;
use super::failure::{Failure, FailureKind};
use super::guest::as_guest;
use super::leave::is_leaving;
use super::memory::Verdict;
use super::outcome::{Action, Restored, Step};
use super::{Applier, Desired, IGNORE_ANNOTATION};

impl Applier {
    /// Reads the live object and brings it to the desired one; once more if it changes in between.
    pub(super) async fn compare(&self, desired: &Desired<'_>) -> Result<Step, Failure> {
        match self.compare_once(desired).await {
            Err(failure) if failure.kind == FailureKind::Conflict => self.compare_once(desired).await,
            other => other,
        }
    }

    async fn compare_once(&self, desired: &Desired<'_>) -> Result<Step, Failure> {
        let key = desired.object.key();
        let Some(live) = self.requests.get(key).await? else {
            self.memory.forget(key);
            let late =
                || Failure::new(key, FailureKind::Conflict, "something else creates and deletes it at the same time");
            return self.create(desired).await?.ok_or_else(late);
        };
        if is_ignored(&live) {
            self.memory.remember(key, &live, desired.fingerprint, Verdict::Ignored);
            return Ok(Step::ignored(key));
        }
        if is_leaving(&live) {
            return self.bring_back(desired, &live).await;
        }
        let guest = as_guest(desired.object, &live);
        let desired = &Desired { object: &guest, ..*desired };
        let adopted = self.adopt(desired, &live).await?;
        let desired = &Desired { object: &adopted, ..*desired };
        match plan(&live, desired.object, desired.shared) {
            Plan::Unchanged => Ok(self.settled(desired, &live)),
            Plan::Recreate(field) => self.recreate(desired, &live, field).await,
            Plan::Update(update) => self.update(desired, &live, update).await,
        }
    }

    fn settled(&self, desired: &Desired<'_>, live: &Value) -> Step {
        self.memory.remember(desired.object.key(), live, desired.fingerprint, Verdict::Settled);
        Step::new(Action::Unchanged, 0)
    }

    async fn update(&self, desired: &Desired<'_>, live: &Value, update: Update) -> Result<Step, Failure> {
        let key = desired.object.key();
        if set(&update).next().is_none() && self.comes_back(desired, &update).await? {
            return Ok(self.settled(desired, live));
        }
        if let Some(verdict) = self.gives_way(desired, live, &update).await {
            self.memory.remember(key, live, desired.fingerprint, verdict.clone());
            return Ok(Step::remembered(key, &verdict));
        }
        let known = self.memory.last(key, desired.fingerprint).is_some();
        let restored = restored(desired, live, &update, known);
        let after = self.requests.replace(key, &update.object, false).await?;
        if known {
            self.count_round(desired);
        }
        let step = self.written(desired, after, Action::Updated, 1).await?;
        Ok(Step { restored, ..step })
    }

    /// Whether the API server itself fills in what is to go: a default that the operator does not know, say.
    /// Asked in a trial, which writes nothing.
    async fn comes_back(&self, desired: &Desired<'_>, update: &Update) -> Result<bool, Failure> {
        let trial = match self.requests.replace(desired.object.key(), &update.object, true).await {
            Ok(trial) => trial,
            // A webhook that takes no trials.
            Err(failure) if failure.kind == FailureKind::Denied => return Ok(false),
            Err(failure) => return Err(failure),
        };
        let Plan::Update(again) = plan(&trial, desired.object, desired.shared) else { return Ok(false) };
        let back = |change: &Change| again.changes.iter().any(|other| other.pointer == change.pointer);
        Ok(update.changes.iter().all(back))
    }
}

pub(super) fn is_ignored(live: &Value) -> bool {
    let annotations = live.pointer("/metadata/annotations");
    annotations.and_then(|annotations| annotations.get(IGNORE_ANNOTATION)).is_some_and(|value| value == "true")
}

/// What of an update sets back a change by somebody else. `known`: the object was as it should be before.
fn restored(desired: &Desired<'_>, live: &Value, update: &Update, known: bool) -> Option<Restored> {
    if !written_by_us(live) {
        return None;
    }
    let foreign = |change: &&Change| change.kind == ChangeKind::Set && (known || change.manager.is_some());
    let changes: Vec<_> = update.changes.iter().filter(foreign).collect();
    let manager = changes.iter().find_map(|change| change.manager.clone());
    let fields: Vec<_> = changes.iter().map(|change| change.field.clone()).collect();
    (!fields.is_empty()).then(|| Restored { key: desired.object.key().clone(), fields, manager })
}
