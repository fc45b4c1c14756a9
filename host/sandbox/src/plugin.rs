//! A declared plugin that is loaded: a program with the name, settings, limits and grants of its declaration.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use chimera_core::extensions::{ComponentView, ExtensionError, Modification, Operation, Point};

use crate::adapter::Hook;
use crate::description::Phase;
use crate::failure::Failure;
use crate::grants::Grants;
use crate::limits::Limits;
use crate::manifest::{FailurePolicy, Manifest};
use crate::memo::{self, Answer, Memo};
use crate::observer::Observer;
use crate::program::Program;
use crate::wire::Input;
use crate::{convert, guard};

/// A loaded plugin.
pub(crate) struct Plugin {
    pub(crate) name: String,
    pub(crate) origin: String,
    pub(crate) program: Arc<Program>,
    pub(crate) failure_policy: FailurePolicy,
    pub(crate) priority: i32,
    limits: Limits,
    grants: Grants,
    settings: String,
    memo: Memo,
    calls: AtomicU64,
    /// Failures that its declaration says to ignore, by component; each goes when the plugin answers again.
    ignored: Mutex<BTreeMap<String, ExtensionError>>,
    observer: Option<Arc<dyn Observer>>,
}

impl Plugin {
    pub(crate) fn new(
        name: String,
        origin: String,
        manifest: Manifest,
        program: Arc<Program>,
        observer: Option<Arc<dyn Observer>>,
    ) -> Self {
        let Manifest { source: _, verification: _, grants, limits, priority, failure_policy, settings } = manifest;
        // What it declares was checked when the program was loaded.
        let declared = program.description().declared().unwrap_or_else(|_| BTreeSet::new());
        Self {
            priority: priority.unwrap_or(program.description().priority),
            grants: Grants::new(declared, grants),
            settings: serde_json::Value::Object(settings).to_string(),
            memo: Memo::default(),
            calls: AtomicU64::new(0),
            ignored: Mutex::default(),
            observer,
            name,
            origin,
            program,
            failure_policy,
            limits,
        }
    }

    /// How often it was called; an answer that is given again counts for nothing.
    pub(crate) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Failures that were ignored, with the components that it left as they were.
    pub(crate) fn ignored(&self) -> Vec<(String, ExtensionError)> {
        self.ignored_now().iter().map(|(component, error)| (component.clone(), error.clone())).collect()
    }

    fn ignored_now(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, ExtensionError>> {
        self.ignored.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where it comes in the order: phase, then priority (higher first), then name.
    pub(crate) fn place(&self) -> (Phase, std::cmp::Reverse<i32>, &str) {
        (self.program.description().phase, std::cmp::Reverse(self.priority), &self.name)
    }

    /// What it wants done to a component; none if the hook is not for this point.
    pub(crate) fn modify(
        &self,
        hook: Hook,
        point: Point<'_>,
        component: ComponentView<'_>,
    ) -> Result<Option<Modification>, ExtensionError> {
        match self.operations(hook, point, component) {
            Ok(operations) => {
                self.ignored_now().remove(component.name);
                Ok(operations.map(|operations| self.modification(operations)))
            }
            Err(failure) if self.failure_policy == FailurePolicy::Ignore => {
                tracing::warn!(
                    plugin = self.name,
                    component = component.name,
                    reason = failure.reason(),
                    "a plugin failed and is ignored, as its declaration says: {failure}"
                );
                let error = failure.into_error(&self.name, self.program.digest());
                self.ignored_now().insert(component.name.to_owned(), error);
                Ok(None)
            }
            Err(failure) => Err(failure.into_error(&self.name, self.program.digest())),
        }
    }

    fn call(&self, input: Input) -> Answer {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let started = Instant::now();
        let answer = self.program.modify(&self.name, &self.limits, input);
        if let Some(observer) = &self.observer {
            observer.called(&self.name, started.elapsed(), answer.as_ref().err().map(Failure::class));
        }
        answer
    }

    fn modification(&self, operations: Vec<Operation>) -> Modification {
        Modification { plugin: self.name.clone(), digest: self.program.digest().into(), operations }
    }

    fn operations(
        &self,
        hook: Hook,
        point: Point<'_>,
        component: ComponentView<'_>,
    ) -> Result<Option<Vec<Operation>>, Failure> {
        let Some(input) = convert::input(hook, point, component, &self.settings)? else { return Ok(None) };
        let fingerprint = memo::fingerprint(&input);
        let answer = match self.memo.get(hook, component.name, &fingerprint) {
            Some(answer) => answer,
            None => {
                let answer = self.call(input);
                self.memo.put(hook, component.name, fingerprint, &answer);
                answer
            }
        };
        let operations = convert::operations(answer?, component)?;
        guard::check(component, &operations, &self.grants)?;
        Ok(Some(operations))
    }
}
