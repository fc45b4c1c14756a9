//! Whether the process works: what `/healthz` and `/readyz` are answered from.
//!
//! Alive is a process none of whose controllers is stuck in one reconcile. Ready is one that reaches the API server,
//! finds its CustomResourceDefinitions, and either acts with its watches up to date or stands by to take over.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// A reconcile that takes longer is stuck: every request and every plugin call has a deadline far below it.
pub const STUCK: Duration = Duration::from_secs(600);
/// Failures in a row before a watch counts as broken: one is an interrupted connection.
const BROKEN: u32 = 3;
/// A watch that has not failed for this long works again, even if nothing came of it; longer than its longest back-off.
const HEALED: Duration = Duration::from_secs(60);

/// How far the process has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// Not connected yet.
    #[default]
    Starting,
    /// Another process leads; this one takes over when that ends.
    StandsBy,
    /// An operator in this other namespace serves the cluster.
    OtherOperator(String),
    /// These CustomResourceDefinitions are missing.
    LacksCrds(BTreeSet<String>),
    /// The declared plugins are being loaded for the first time.
    LoadsPlugins,
    /// It acts.
    Acts,
}

/// What is known of one watch.
#[derive(Clone, Copy, Debug, Default)]
struct Watch {
    listed: bool,
    failures: u32,
    failed: Option<Instant>,
}

#[derive(Debug, Default)]
struct State {
    stage: Stage,
    /// When the API server last answered anything.
    answered: Option<Instant>,
    watches: BTreeMap<String, Watch>,
    /// Controllers at work, and since when.
    working: BTreeMap<&'static str, Instant>,
}

/// Signs of life, gathered from everywhere.
#[derive(Debug, Default)]
pub struct Vitals(Mutex<State>);

/// A controller at work, until this is dropped.
#[derive(Debug)]
pub struct Work<'a> {
    vitals: &'a Vitals,
    controller: &'static str,
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        self.vitals.state().working.remove(self.controller);
    }
}

impl Vitals {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics half way, so a poisoned lock still holds sound data.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The process has come so far.
    pub fn enter(&self, stage: Stage) {
        self.state().stage = stage;
    }

    /// How far the process has come.
    pub fn stage(&self) -> Stage {
        self.state().stage.clone()
    }

    /// The API server answered.
    pub fn answered(&self) {
        self.state().answered = Some(Instant::now());
    }

    /// How long ago the API server answered last; none: it never did.
    pub fn silence(&self) -> Option<Duration> {
        self.state().answered.map(|answered| answered.elapsed())
    }

    /// A controller begins a reconcile.
    pub fn work(&self, controller: &'static str) -> Work<'_> {
        self.state().working.insert(controller, Instant::now());
        Work { vitals: self, controller }
    }

    /// A watch lists, anew or for the first time.
    pub fn lists(&self, watch: &str) {
        self.watch(watch, |state| state.listed = false);
    }

    /// A watch has listed everything and follows it from now on.
    pub fn follows(&self, watch: &str) {
        self.watch(watch, |state| *state = Watch { listed: true, ..Watch::default() });
    }

    /// A watch failed, and is tried again.
    pub fn failed(&self, watch: &str) {
        self.watch(watch, |state| {
            state.failures = state.failures.saturating_add(1);
            state.failed = Some(Instant::now());
        });
    }

    fn watch(&self, watch: &str, change: impl FnOnce(&mut Watch)) {
        change(self.state().watches.entry(watch.to_owned()).or_default());
    }

    /// Controllers that are stuck in one reconcile, in words.
    pub fn stuck(&self) -> Vec<String> {
        let state = self.state();
        let long = state.working.iter().map(|(name, since)| (name, since.elapsed())).filter(|(_, took)| *took > STUCK);
        long.map(|(name, took)| format!("controller {name} is stuck in a reconcile for {} s", took.as_secs())).collect()
    }

    /// Watches that do not show the cluster as it is, in words.
    pub fn blind(&self) -> Vec<String> {
        let state = self.state();
        let blind =
            state.watches.iter().filter_map(|(name, watch)| Some(format!("watch of {name}: {}", watch.fault()?)));
        blind.collect()
    }
}

impl Watch {
    fn fault(self) -> Option<&'static str> {
        let recent = self.failed.is_some_and(|failed| failed.elapsed() < HEALED);
        match self.listed {
            false => Some("not listed yet"),
            true if self.failures >= BROKEN && recent => Some("fails again and again"),
            true => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_controller_is_stuck_only_while_one_reconcile_goes_on_for_too_long() {
        let vitals = Vitals::default();
        let work = vitals.work("sheep");
        tokio::time::advance(STUCK).await;
        assert!(vitals.stuck().is_empty());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(vitals.stuck(), ["controller sheep is stuck in a reconcile for 601 s"]);
        drop(work);
        let _again = vitals.work("sheep");
        assert!(vitals.stuck().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_is_blind_until_it_listed_and_while_it_keeps_failing() {
        let vitals = Vitals::default();
        vitals.lists("sheep");
        assert_eq!(vitals.blind(), ["watch of sheep: not listed yet"]);
        vitals.follows("sheep");
        vitals.failed("sheep");
        assert!(vitals.blind().is_empty(), "one interruption is none");
        (0..BROKEN).for_each(|_| vitals.failed("sheep"));
        assert_eq!(vitals.blind(), ["watch of sheep: fails again and again"]);
        tokio::time::advance(HEALED).await;
        assert!(vitals.blind().is_empty(), "it does not fail any more");
        vitals.lists("sheep");
        assert_eq!(vitals.blind().len(), 1, "it lists anew");
    }
}
