//! Taking down what a custom resource owned, when the order matters; Kubernetes' garbage collector has none.

use chimera_core::object::ObjectKey;
use serde_json::Value;

use super::Applier;
use super::existing::is_ignored;
use super::failure::{Failure, FailureKind};

impl Applier {
    /// Starts to delete a workload with its pods, if the owner of this uid owns it. Says whether it is still there.
    ///
    /// # Errors
    /// If the API server does not answer or refuses.
    pub async fn take_down(&self, key: &ObjectKey, owner: &str) -> Result<bool, Failure> {
        let Some(live) = self.requests.get(key).await? else {
            self.memory.forget(key);
            return Ok(false);
        };
        if !is_owned(&live, owner) || is_ignored(&live) {
            return Ok(false);
        }
        if !is_leaving(&live) {
            self.requests.delete_with_dependents(key, &live).await?;
        }
        Ok(true)
    }

    /// Takes the operator's finalizers off an object that the owner of this uid owns, or that is being deleted. Says
    /// whether there was anything to take off. An ignored object is let go as well: it would never end otherwise.
    ///
    /// # Errors
    /// If the API server does not answer or refuses.
    pub async fn let_go(&self, key: &ObjectKey, owner: Option<&str>) -> Result<bool, Failure> {
        match self.let_go_once(key, owner).await {
            Err(failure) if failure.kind == FailureKind::Conflict => self.let_go_once(key, owner).await,
            other => other,
        }
    }

    async fn let_go_once(&self, key: &ObjectKey, owner: Option<&str>) -> Result<bool, Failure> {
        let Some(live) = self.requests.get(key).await? else { return Ok(false) };
        if !(is_leaving(&live) || owner.is_some_and(|owner| is_owned(&live, owner))) {
            return Ok(false);
        }
        let (_, writes) = self.release(key, &live).await?;
        self.memory.forget(key);
        Ok(writes > 0)
    }
}

/// Whether an object is being deleted.
pub(super) fn is_leaving(live: &Value) -> bool {
    live.pointer("/metadata/deletionTimestamp").is_some()
}

fn is_owned(live: &Value, owner: &str) -> bool {
    let owners = live.pointer("/metadata/ownerReferences").and_then(Value::as_array);
    owners.into_iter().flatten().any(|reference| reference.get("uid").and_then(Value::as_str) == Some(owner))
}
