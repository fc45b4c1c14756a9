//! Deleting what must not be there, if it is the operator's.

use chimera_core::merge::{is_our_finalizer, written_by_us};
use chimera_core::object::ObjectKey;
use chimera_core::policies::{MANAGED_BY_LABEL, MANAGED_BY_VALUE};
use serde_json::Value;

use super::Applier;
use super::failure::{Failure, FailureKind};
use super::live::Known;
use super::memory::Verdict;
use super::outcome::{Action, Step};

/// Stands for "nothing" where a desired object's fingerprint is remembered.
const NOTHING: [u8; 32] = [0; 32];

impl Applier {
    pub(super) async fn delete(&self, key: &ObjectKey, version: &Known) -> Result<Step, Failure> {
        if *version == Known::Absent && !self.memory.knows(key) {
            return Ok(Step::new(Action::Unchanged, 0));
        }
        if let Some(verdict) = self.memory.verdict(key, version, NOTHING) {
            return Ok(Step::remembered(key, &verdict));
        }
        match self.delete_once(key).await {
            // A kind that is not served has no objects.
            Err(failure) if failure.kind == FailureKind::KindMissing => Ok(Step::new(Action::Unchanged, 0)),
            Err(failure) if failure.kind == FailureKind::Conflict => self.delete_once(key).await,
            other => other,
        }
    }

    async fn delete_once(&self, key: &ObjectKey) -> Result<Step, Failure> {
        let Some(live) = self.requests.get(key).await? else {
            self.memory.forget(key);
            return Ok(Step::new(Action::Unchanged, 0));
        };
        if super::existing::is_ignored(&live) {
            self.memory.remember(key, &live, NOTHING, Verdict::Ignored);
            return Ok(Step::ignored(key));
        }
        if !is_ours(&live) || live.pointer("/metadata/deletionTimestamp").is_some() {
            self.memory.remember(key, &live, NOTHING, Verdict::NotOurs);
            return Ok(Step::new(Action::Unchanged, 0));
        }
        self.requests.delete(key, &live).await?;
        self.memory.forget(key);
        Ok(Step::new(Action::Deleted, 1))
    }
}

/// Whether the operator (or the one before it) made an object: by its label, its owner or who wrote it.
pub(crate) fn is_ours(live: &Value) -> bool {
    let label = live.pointer("/metadata/labels").and_then(|labels| labels.get(MANAGED_BY_LABEL));
    let owners = live.pointer("/metadata/ownerReferences").and_then(Value::as_array);
    let owned = owners.into_iter().flatten().filter_map(|owner| owner.get("apiVersion")?.as_str()?.split_once('/'));
    label.is_some_and(|value| value == MANAGED_BY_VALUE)
        || owned.into_iter().any(|(group, _)| is_our_finalizer(group))
        || written_by_us(live)
}
