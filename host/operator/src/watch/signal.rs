//! Wakes controllers up.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout};

/// Changes that come closer together than this are reconciled once.
const QUIET: Duration = Duration::from_millis(50);
/// A steady stream of changes delays a reconcile at most this long.
const AT_MOST: Duration = Duration::from_millis(500);

/// One controller's bell. Ringing twice before it is heard is like ringing once.
#[derive(Clone, Debug, Default)]
pub struct Signal(Arc<Notify>);

impl Signal {
    /// Asks for a reconcile.
    pub fn ring(&self) {
        self.0.notify_one();
    }

    /// Waits for a change, or until `deadline`, then until changes have settled.
    pub async fn wait(&self, deadline: Option<Instant>) {
        tokio::select! {
            () = self.0.notified() => {}
            () = expired(deadline) => return,
        }
        let latest = Instant::now() + AT_MOST;
        while Instant::now() < latest && timeout(QUIET, self.0.notified()).await.is_ok() {}
    }
}

async fn expired(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn many_changes_at_once_are_heard_once() {
        let signal = Signal::default();
        (0..5).for_each(|_| signal.ring());
        signal.wait(None).await;
        let again = timeout(Duration::from_secs(60), signal.wait(None)).await;
        assert!(again.is_err(), "nothing rang any more");
    }

    #[tokio::test(start_paused = true)]
    async fn a_deadline_wakes_without_a_change() {
        Signal::default().wait(Some(Instant::now() + Duration::from_secs(9))).await;
    }
}
