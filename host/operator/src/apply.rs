//! Brings the cluster to a component's objects: creates in order, then deletes; writes only what is different.
//!
//! One failing object does not stop the others. Nothing of the live objects is kept but their versions, so that what
//! has not changed since it was last compared costs no request.

pub mod live;
pub mod outcome;

mod adopt;
mod breaker;
mod contest;
mod create;
mod delete;
mod existing;
mod failure;
pub mod guest;
mod invalid;
mod leave;
mod memory;
mod recreate;
mod requests;
mod resources;

use std::future::Future;
use std::sync::Arc;

use chimera_core::component::{Component, Finished, Readiness};
use chimera_core::env::Clock;
use chimera_core::merge::fingerprint;
use chimera_core::object::{Object, ObjectKey};
use kube::Client;

use crate::env::SystemClock;
use breaker::Breaker;
use live::{Known, LiveVersions};
use memory::Memory;
use outcome::Step;
use requests::Requests;

pub(crate) use delete::is_ours;
pub use failure::{Failure, FailureKind};
pub use outcome::{ApplyOutcome, Restored};
pub(crate) use resources::kind_of;

/// Annotation of an object that the operator is to leave alone.
pub const IGNORE_ANNOTATION: &str = "unsupported.operator.tigera.io/ignore";

/// How to apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The owning resource is being deleted: an object that is on its way out is not brought back.
    pub owner_is_leaving: bool,
}

/// Applies components. One for the process, since it remembers what it wrote.
pub struct Applier {
    requests: Requests,
    memory: Memory,
    breaker: Breaker,
    clock: Arc<dyn Clock>,
}

impl Applier {
    /// With the machine's clock.
    pub fn new(client: Client) -> Self {
        Self::with_clock(client, Arc::new(SystemClock))
    }

    /// With another clock.
    pub fn with_clock(client: Client, clock: Arc<dyn Clock>) -> Self {
        Self { requests: Requests::new(client), memory: Memory::default(), breaker: Breaker::default(), clock }
    }

    /// Brings the cluster to a component. `live` tells which versions of objects are known from watches.
    ///
    /// A component that waits for something is left as it is.
    pub async fn apply(
        &self,
        component: &Component<Finished>,
        live: &dyn LiveVersions,
        options: Options,
    ) -> ApplyOutcome {
        let mut outcome = ApplyOutcome::new(component.name());
        if let Readiness::Waiting(what) = component.readiness() {
            outcome.waiting = Some(what.clone());
            return outcome;
        }
        for object in component.objects() {
            let step = self.object(object, component.is_shared(), live, options);
            outcome.add(object.key(), self.guarded(object.key(), step).await);
        }
        for key in component.deletions() {
            let version = live.version(key);
            outcome.add(key, self.guarded(key, self.delete(key, &version)).await);
        }
        outcome
    }

    /// Does a step unless the API server takes nothing at the moment.
    async fn guarded(
        &self,
        key: &ObjectKey,
        step: impl Future<Output = Result<Step, Failure>>,
    ) -> Result<Step, Failure> {
        self.breaker.admit(key)?;
        let result = step.await;
        self.breaker.note(key, result.as_ref().map(|step| step.writes));
        result
    }

    /// The version that an object had when it was last written or compared; older views of it say nothing new.
    pub fn last_version(&self, key: &ObjectKey) -> Option<String> {
        self.memory.version(key)
    }

    async fn object(
        &self,
        object: &Object,
        shared: bool,
        live: &dyn LiveVersions,
        options: Options,
    ) -> Result<Step, Failure> {
        let desired = Desired { object, shared, fingerprint: fingerprint(object), options };
        let version = live.version(object.key());
        if let Some(verdict) = self.memory.verdict(object.key(), &version, desired.fingerprint)
            && !self.is_due(&verdict)
        {
            return Ok(Step::remembered(object.key(), &verdict));
        }
        // Where the operator wrote it before, the watch may only be late.
        if version == Known::Absent
            && !self.memory.knows(object.key())
            && let Some(step) = self.create(&desired).await?
        {
            return Ok(step);
        }
        self.compare(&desired).await
    }
}

impl std::fmt::Debug for Applier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Applier").finish_non_exhaustive()
    }
}

/// One object to bring about.
#[derive(Clone, Copy)]
struct Desired<'a> {
    object: &'a Object,
    shared: bool,
    fingerprint: [u8; 32],
    options: Options,
}
