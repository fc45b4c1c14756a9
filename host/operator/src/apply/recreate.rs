//! Deleting and creating again, and bringing back what somebody deletes.

use chimera_core::merge::{KEPT_MANAGER, anew, is_our_finalizer};
use chimera_core::object::ObjectKey;
use serde_json::Value;

use super::delete::is_ours;
use super::failure::{Failure, FailureKind};
use super::outcome::{Action, Step};
use super::{Applier, Desired};

impl Applier {
    pub(super) async fn recreate(&self, desired: &Desired<'_>, live: &Value, field: &str) -> Result<Step, Failure> {
        let key = desired.object.key();
        if !is_ours(live) {
            let detail = format!(
                "its {field} cannot be changed in place, and it was not created by the operator; delete or rename it"
            );
            return Err(Failure::new(key, FailureKind::Foreign, detail));
        }
        let (live, released) = self.release(key, live).await?;
        self.requests.delete(key, &live).await?;
        self.memory.forget(key);
        self.create_anew(desired, &live, released + 1).await
    }

    /// In the place of one that is gone, or about to be.
    async fn create_anew(&self, desired: &Desired<'_>, former: &Value, writes: usize) -> Result<Step, Failure> {
        let (key, anew) = (desired.object.key(), anew(former, desired.object));
        let Some(mut after) = self.requests.create(&anew.object).await? else { return Err(leaving(desired, former)) };
        let mut writes = writes + 1;
        // Kubernetes' controllers write a new workload at once, so the first try may come too late.
        for last in [false, true] {
            let Some(object) = anew.with_kept(&after) else { break };
            writes += 1;
            match self.requests.replace_as(KEPT_MANAGER, key, &object).await {
                Err(failure) if failure.kind == FailureKind::Conflict && !last => {
                    after = self.requests.get(key).await?.unwrap_or(after);
                }
                answer => {
                    after = answer?;
                    break;
                }
            }
        }
        self.written(desired, after, Action::Recreated, writes).await
    }

    /// An object that is being deleted while it is wanted. Only the operator's own finalizers can be lifted.
    pub(super) async fn bring_back(&self, desired: &Desired<'_>, live: &Value) -> Result<Step, Failure> {
        let finalizers = finalizers(live);
        let held_by_us = !finalizers.is_empty() && finalizers.iter().all(|finalizer| is_our_finalizer(finalizer));
        if desired.options.owner_is_leaving || desired.object.key().kind == "Namespace" || !held_by_us {
            return Err(leaving(desired, live));
        }
        let (live, released) = self.release(desired.object.key(), live).await?;
        self.memory.forget(desired.object.key());
        self.create_anew(desired, &live, released).await
    }

    /// Takes the operator's finalizers off; tells what the object is then and how many writes it took.
    pub(super) async fn release(&self, key: &ObjectKey, live: &Value) -> Result<(Value, usize), Failure> {
        let finalizers = finalizers(live);
        let foreign: Vec<_> = finalizers.iter().filter(|finalizer| !is_our_finalizer(finalizer)).collect();
        if foreign.len() == finalizers.len() {
            return Ok((live.clone(), 0));
        }
        let mut released = live.clone();
        if let Some(Value::Object(metadata)) = released.get_mut("metadata") {
            metadata.insert("finalizers".into(), foreign.into_iter().cloned().collect());
            metadata.remove("managedFields");
        }
        Ok((self.requests.replace(key, &released, false).await?, 1))
    }
}

fn finalizers(live: &Value) -> Vec<String> {
    let finalizers = live.pointer("/metadata/finalizers").and_then(Value::as_array);
    finalizers.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn leaving(desired: &Desired<'_>, live: &Value) -> Failure {
    let (ours, foreign): (Vec<_>, Vec<_>) = finalizers(live).into_iter().partition(|name| is_our_finalizer(name));
    let detail = if !foreign.is_empty() {
        format!("it is being deleted, but held by {}, which is not the operator's to take off", foreign.join(", "))
    } else if !ours.is_empty() {
        format!("it is being deleted, and held by {} until what depends on it is gone", ours.join(", "))
    } else {
        "the former one is still being deleted; it is created again as soon as that is done".to_owned()
    };
    Failure::new(desired.object.key(), FailureKind::Leaving, detail)
}
