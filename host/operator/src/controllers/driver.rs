//! The loop that runs one controller: wait for a change, reconcile, back off after a failure.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;
use tracing::field::Empty;
use tracing::{Instrument as _, Span, debug, info_span};

use crate::context::Context;
use crate::watch::signal::Signal;

/// Without any change, everything is looked over this often.
const RESYNC: Duration = Duration::from_secs(300);
/// First wait after a failure; it doubles with each further one.
const FIRST_RETRY: Duration = Duration::from_secs(1);
/// Longest wait after a failure.
const LAST_RETRY: Duration = Duration::from_secs(60);

/// What one reconcile came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing more to do until something changes.
    Settled,
    /// Look again after this long at the latest.
    Again(Duration),
    /// Something failed and the status says what; try again with back-off.
    Failed,
    /// The same, but what the status is to say is held back: look again after this long at the latest.
    Held(Duration),
}

impl Outcome {
    /// The same, but looks again after this long at the latest.
    #[must_use]
    pub fn at_latest(self, pause: Duration) -> Self {
        match self {
            Self::Settled => Self::Again(pause),
            Self::Again(earlier) => Self::Again(earlier.min(pause)),
            Self::Failed => Self::Failed,
            Self::Held(earlier) => Self::Held(earlier.min(pause)),
        }
    }
}

/// A controller of one custom resource.
pub trait Controller: Send + Sync + 'static {
    /// Its name in logs and metrics.
    const NAME: &'static str;

    /// Brings the cluster closer to what the resource asks for. Called again after each change, with no memory of its own.
    fn reconcile(&self, context: &Context) -> impl Future<Output = Outcome> + Send;
}

/// Runs a controller for as long as the process leads.
pub async fn run<C: Controller>(controller: C, context: Arc<Context>, bell: Signal) {
    let mut failures = 0;
    bell.ring();
    let mut deadline = None;
    loop {
        bell.wait(deadline).await;
        let (started, span) = (Instant::now(), span(C::NAME));
        let work = context.metrics.vitals().work(C::NAME);
        let outcome = controller.reconcile(&context).instrument(span.clone()).await;
        drop(work);
        let failed = matches!(outcome, Outcome::Failed | Outcome::Held(_));
        context.metrics.reconciled(C::NAME, started.elapsed(), failed);
        failures = if failed { failures + 1 } else { 0 };
        let pause = pause(outcome, failures);
        span.in_scope(|| debug!(?outcome, took = ?started.elapsed(), next = ?pause, "reconciled"));
        deadline = Some(Instant::now() + pause);
    }
}

/// One a reconcile, with a number of its own in this process; the generation is filled in when the resource was read.
fn span(controller: &'static str) -> Span {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    info_span!("reconcile", controller, id, object = Empty, generation = Empty)
}

fn pause(outcome: Outcome, failures: u32) -> Duration {
    match outcome {
        Outcome::Settled => RESYNC,
        Outcome::Again(pause) => pause.min(RESYNC),
        Outcome::Failed => back_off(failures),
        Outcome::Held(pause) => pause.min(back_off(failures)),
    }
}

fn back_off(failures: u32) -> Duration {
    FIRST_RETRY.saturating_mul(1 << failures.saturating_sub(1).min(10)).min(LAST_RETRY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_comes_first_decides_when_to_look_again() {
        let seconds = Duration::from_secs;
        assert_eq!(Outcome::Settled.at_latest(seconds(9)), Outcome::Again(seconds(9)));
        assert_eq!(Outcome::Again(seconds(10)).at_latest(seconds(9)), Outcome::Again(seconds(9)));
        assert_eq!(Outcome::Again(seconds(8)).at_latest(seconds(9)), Outcome::Again(seconds(8)));
        assert_eq!(Outcome::Failed.at_latest(seconds(9)), Outcome::Failed);
    }

    #[test]
    fn failures_are_tried_again_ever_more_slowly_but_always() {
        let pauses: Vec<_> = (1..=8).map(|failures| pause(Outcome::Failed, failures).as_secs()).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
        let held = Outcome::Held(Duration::from_secs(5));
        assert_eq!([1, 9].map(|failures| pause(held, failures).as_secs()), [1, 5], "told before the next try");
    }
}
