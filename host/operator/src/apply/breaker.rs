//! Keeps an API server that takes nothing from being asked for everything again and again.
//!
//! One object that is refused holds nothing else up. Once several different objects have failed for reasons that lie
//! with the API server, and no write was accepted in between, two objects are tried at a time until a write is
//! accepted: the first that is wanted, since others may need it, and the one that was tried longest ago, so that each
//! has its turn.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chimera_core::object::ObjectKey;
use tokio::time::Instant;

use super::failure::{Failure, FailureKind};

/// So many different objects fail before only few are tried at a time.
const LIMIT: usize = 6;
/// Tries that fail within one round.
const TRIES: usize = 2;
/// A round takes so long: shorter than the first pause between two reconciles.
const ROUND: Duration = Duration::from_millis(500);
/// An object that nobody wanted to write for so long is no longer part of what is desired.
const FORGOTTEN: Duration = Duration::from_secs(150);

#[derive(Debug)]
struct Failing {
    failure: Failure,
    wanted: Instant,
}

#[derive(Debug, Default)]
struct State {
    /// The one that was tried longest ago comes first.
    failing: VecDeque<Failing>,
    /// When this round's first try failed, and how many have.
    round: Option<(Instant, usize)>,
}

impl State {
    /// Tries that failed within this round.
    fn failed(&self, now: Instant) -> usize {
        self.round.map_or(0, |(began, failed)| if now.duration_since(began) < ROUND { failed } else { 0 })
    }

    fn is_first(&self, key: &ObjectKey) -> bool {
        self.failing.front().is_some_and(|failing| failing.failure.key == *key)
    }

    /// Why this object fails, or else the last one that did.
    fn reason(&self, key: &ObjectKey) -> Option<&Failure> {
        let own = self.failing.iter().find(|failing| failing.failure.key == *key);
        own.or(self.failing.back()).map(|failing| &failing.failure)
    }

    fn fail(&mut self, failure: &Failure, now: Instant) {
        let failed = self.failed(now);
        let began = self.round.filter(|_| failed > 0).map_or(now, |(began, _)| began);
        self.round = Some((began, failed + 1));
        self.forget(&failure.key);
        self.failing.push_back(Failing { failure: failure.clone(), wanted: now });
    }

    fn forget(&mut self, key: &ObjectKey) {
        self.failing.retain(|failing| failing.failure.key != *key);
    }
}

/// Which objects failed since a write was last accepted.
#[derive(Debug, Default)]
pub(super) struct Breaker(Mutex<State>);

impl Breaker {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether an object may be tried now.
    ///
    /// # Errors
    /// What is in the way, if not: the failure of this object, or the last one of another.
    pub(super) fn admit(&self, key: &ObjectKey) -> Result<(), Failure> {
        let (mut state, now) = (self.state(), Instant::now());
        state.failing.iter_mut().filter(|failing| failing.failure.key == *key).for_each(|failing| failing.wanted = now);
        state.failing.retain(|failing| now.duration_since(failing.wanted) < FORGOTTEN);
        let failed = state.failed(now);
        if state.failing.len() < LIMIT || failed == 0 || (failed < TRIES && state.is_first(key)) {
            return Ok(());
        }
        state.reason(key).map_or(Ok(()), |failure| Err(failure.clone()))
    }

    /// Takes note of how a try ended; `writes` were accepted.
    pub(super) fn note(&self, key: &ObjectKey, result: Result<usize, &Failure>) {
        let (mut state, now) = (self.state(), Instant::now());
        match result {
            Ok(0) => state.forget(key),
            Ok(_) => *state = State::default(),
            Err(failure) if lies_with_the_api_server(failure) => state.fail(failure, now),
            Err(_) => {}
        }
    }
}

/// As against an object that a policy denies, or that waits for its namespace.
fn lies_with_the_api_server(failure: &Failure) -> bool {
    matches!(failure.kind, FailureKind::Unavailable | FailureKind::Forbidden | FailureKind::Conflict)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&str; LIMIT] = ["ant", "bee", "cat", "dog", "elk", "fox"];

    fn key(name: &str) -> ObjectKey {
        ObjectKey::cluster("v1", "Namespace", name)
    }

    fn fails(breaker: &Breaker, name: &str, kind: FailureKind) {
        breaker.note(&key(name), Err(&Failure::new(&key(name), kind, "it is refused")));
    }

    /// A breaker after everything has failed, at the beginning of the next round.
    async fn broken() -> Breaker {
        let breaker = Breaker::default();
        ALL.iter().for_each(|name| fails(&breaker, name, FailureKind::Unavailable));
        assert!(tried(&breaker, &ALL).is_empty(), "the round is over");
        tokio::time::advance(ROUND).await;
        breaker
    }

    /// Tries everything in order; all of it fails.
    fn tried(breaker: &Breaker, names: &[&str]) -> Vec<String> {
        let mut tried = Vec::new();
        for name in names {
            if breaker.admit(&key(name)).is_ok() {
                tried.push((*name).to_owned());
                fails(breaker, name, FailureKind::Unavailable);
            }
        }
        tried
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_is_refused_for_ever_holds_nothing_up() {
        let breaker = Breaker::default();
        (0..100).for_each(|_| fails(&breaker, "goat", FailureKind::Forbidden));
        assert!(breaker.admit(&key("goat")).is_ok() && breaker.admit(&key("sheep")).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn many_that_a_policy_denies_or_that_wait_for_their_namespace_hold_nothing_up() {
        for kind in [FailureKind::Denied, FailureKind::Invalid, FailureKind::NamespaceMissing, FailureKind::Leaving] {
            let breaker = Breaker::default();
            ALL.iter().for_each(|name| fails(&breaker, name, kind));
            assert!(breaker.admit(&key("sheep")).is_ok(), "{kind:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn when_everything_fails_the_first_and_one_more_in_its_turn_are_tried() {
        let breaker = broken().await;
        for turn in ["bee", "cat", "dog"] {
            assert_eq!(tried(&breaker, &ALL), ["ant", turn]);
            assert!(breaker.admit(&key("new")).is_err(), "the round is over");
            tokio::time::advance(ROUND).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_write_that_is_accepted_lets_everything_through_again() {
        let breaker = broken().await;
        assert_eq!(tried(&breaker, &ALL), ["ant", "bee"]);
        breaker.note(&key("cat"), Ok(1));
        ALL.iter().for_each(|name| assert!(breaker.admit(&key(name)).is_ok(), "{name}"));
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_no_longer_desired_is_not_waited_for() {
        let breaker = broken().await;
        for _ in 0..3 {
            tokio::time::advance(FORGOTTEN / 3).await;
            tried(&breaker, &["fox"]);
        }
        assert!(breaker.admit(&key("fox")).is_ok() && breaker.admit(&key("new")).is_ok());
    }
}
