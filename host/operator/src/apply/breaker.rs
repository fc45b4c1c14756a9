//! Keeps an API server that takes nothing from being asked for everything again and again.
//!
//! One object that is denied holds nothing else up. Once several different objects have failed with no write accepted
//! in between, one object is tried at a time, each in its turn, until a write is accepted. And while the API server
//! fails or is too busy now and then, only so many writes are tried in a minute.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chimera_core::object::ObjectKey;
use tokio::time::Instant;

use super::failure::{Failure, FailureKind};

/// So many different objects fail before only one is tried at a time.
const LIMIT: usize = 4;
/// After a failed try, nothing else is tried for so long: shorter than the first pause between two reconciles.
const REST: Duration = Duration::from_millis(500);
/// An object that nobody wanted to write for so long is no longer part of what is desired.
const FORGOTTEN: Duration = Duration::from_secs(150);
/// Tries in a minute while there is trouble.
const TRIES: usize = 48;
/// A minute.
const WINDOW: Duration = Duration::from_secs(60);
/// The API server has failed a write within this time: there is trouble.
const TROUBLE: Duration = Duration::from_secs(30);

#[derive(Debug)]
struct Failing {
    failure: Failure,
    wanted: Instant,
}

#[derive(Debug, Default)]
struct State {
    /// The one that was tried longest ago comes first.
    failing: VecDeque<Failing>,
    rest_until: Option<Instant>,
    /// Writes of the last minute, but no more than matter.
    tries: VecDeque<Instant>,
    /// The last time that the API server itself failed a write.
    trouble: Option<(Failure, Instant)>,
}

impl State {
    /// The trouble, if there is any and the last minute has seen as many tries as it may.
    fn flooding(&self, now: Instant) -> Option<&Failure> {
        let (failure, at) = self.trouble.as_ref()?;
        let tries = self.tries.iter().filter(|tried| now.duration_since(**tried) < WINDOW).count();
        (now.duration_since(*at) < TROUBLE && tries >= TRIES).then_some(failure)
    }

    fn count(&mut self, tries: usize, now: Instant) {
        self.tries.extend(std::iter::repeat_n(now, tries));
        let excess = self.tries.len().saturating_sub(TRIES);
        self.tries.drain(..excess);
    }

    fn fail(&mut self, failure: &Failure, now: Instant) {
        self.failing.retain(|failing| failing.failure.key != failure.key);
        self.failing.push_back(Failing { failure: failure.clone(), wanted: now });
        self.rest_until = Some(now + REST);
        if failure.kind == FailureKind::Unavailable {
            self.trouble = Some((failure.clone(), now));
        }
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
        if let Some(failure) = state.flooding(now) {
            return Err(failure.clone());
        }
        if state.failing.len() < LIMIT {
            return Ok(());
        }
        let own = state.failing.iter().position(|failing| failing.failure.key == *key);
        let resting = state.rest_until.is_some_and(|until| now < until);
        match own.and_then(|at| state.failing.get(at)).or(state.failing.back()) {
            Some(failing) if resting || own.is_some_and(|at| at > 0) => Err(failing.failure.clone()),
            _ => Ok(()),
        }
    }

    /// Takes note of how a try ended; `writes` were accepted.
    pub(super) fn note(&self, key: &ObjectKey, result: Result<usize, &Failure>) {
        let (mut state, now) = (self.state(), Instant::now());
        state.count(result.unwrap_or(1), now);
        match result {
            Ok(0) => state.failing.retain(|failing| failing.failure.key != *key),
            Ok(_) => {
                state.failing.clear();
                state.rest_until = None;
            }
            Err(failure) => state.fail(failure, now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::failure::FailureKind;
    use super::*;

    fn key(name: &str) -> ObjectKey {
        ObjectKey::cluster("v1", "Namespace", name)
    }

    fn fails(breaker: &Breaker, name: &str) {
        breaker.note(&key(name), Err(&Failure::new(&key(name), FailureKind::Unavailable, "it is down")));
    }

    fn tried(breaker: &Breaker, names: &[&str]) -> Vec<String> {
        let admitted = |name: &&&str| breaker.admit(&key(name)).is_ok();
        names.iter().filter(admitted).map(ToString::to_string).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_is_denied_for_ever_holds_nothing_up() {
        let breaker = Breaker::default();
        for _ in 0..100 {
            breaker.note(&key("goat"), Err(&Failure::new(&key("goat"), FailureKind::Denied, "a policy denies it")));
        }
        assert_eq!(tried(&breaker, &["goat", "sheep"]), ["goat", "sheep"]);
    }

    #[tokio::test(start_paused = true)]
    async fn when_everything_fails_each_is_tried_in_its_turn_until_a_write_is_accepted() {
        let (breaker, all) = (Breaker::default(), ["ant", "bee", "cat", "dog"]);
        all.iter().for_each(|name| fails(&breaker, name));
        assert!(tried(&breaker, &["ant", "elk"]).is_empty(), "it rests");
        tokio::time::advance(REST).await;
        assert_eq!(tried(&breaker, &all), ["ant"]);
        fails(&breaker, "ant");
        assert!(tried(&breaker, &all).is_empty(), "it rests");
        tokio::time::advance(REST).await;
        assert_eq!(tried(&breaker, &all), ["bee"]);
        breaker.note(&key("bee"), Ok(1));
        assert_eq!(tried(&breaker, &all), all);
    }

    #[tokio::test(start_paused = true)]
    async fn while_the_api_server_fails_now_and_then_a_minute_sees_no_flood() {
        let breaker = Breaker::default();
        breaker.note(&key("ant"), Ok(TRIES * 2));
        assert_eq!(tried(&breaker, &["ant"]), ["ant"], "without trouble nothing is held back");
        fails(&breaker, "bee");
        assert!(tried(&breaker, &["ant"]).is_empty());
        tokio::time::advance(TROUBLE).await;
        assert_eq!(tried(&breaker, &["ant"]), ["ant"]);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_no_longer_desired_is_not_waited_for() {
        let breaker = Breaker::default();
        ["ant", "bee", "cat", "dog"].iter().for_each(|name| fails(&breaker, name));
        for _ in 0..4 {
            tokio::time::advance(FORGOTTEN / 3).await;
            assert!(tried(&breaker, &["cat"]).is_empty() || breaker.state().failing.len() < LIMIT);
        }
        assert_eq!(tried(&breaker, &["cat", "dog"]), ["cat", "dog"]);
    }
}
