//! Creating an object, and what comes back from a write.

use chimera_core::merge::{Plan, plan};
use serde_json::Value;

use super::contest::{ROUNDS, contested, set};
use super::failure::{Failure, FailureKind};
use super::memory::Verdict;
use super::outcome::{Action, Step};
use super::{Applier, Desired};

impl Applier {
    /// Creates it without looking first; none if it is there after all.
    pub(super) async fn create(&self, desired: &Desired<'_>) -> Result<Option<Step>, Failure> {
        let Some(live) = self.requests.create(desired.object).await? else { return Ok(None) };
        self.written(desired, live, Action::Created, 1).await.map(Some)
    }

    /// Looks at what the API server made of a write. What a webhook changed is set back a few times at most.
    pub(super) async fn written(
        &self,
        desired: &Desired<'_>,
        mut live: Value,
        action: Action,
        mut writes: usize,
    ) -> Result<Step, Failure> {
        let key = desired.object.key();
        for round in 1..=ROUNDS {
            let Plan::Update(update) = plan(&live, desired.object, desired.shared) else { break };
            if set(&update).next().is_none() {
                break;
            }
            if round == ROUNDS {
                let verdict = contested(&live, &update, self.clock.now(), true);
                self.memory.remember(key, &live, desired.fingerprint, verdict.clone());
                return Ok(Step { writes, ..Step::remembered(key, &verdict) });
            }
            live = match self.requests.replace(key, &update.object, false).await {
                // A controller told its status in between.
                Err(failure) if failure.kind == FailureKind::Conflict => {
                    self.requests.get(key).await?.ok_or(failure)?
                }
                written => {
                    writes += 1;
                    written?
                }
            };
        }
        self.memory.remember(key, &live, desired.fingerprint, Verdict::Settled);
        Ok(Step::new(action, writes))
    }
}
