//! Waiting for a condition with a deadline.

use std::future::Future;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use tokio::time::{Instant, sleep, timeout_at};

const INTERVAL: Duration = Duration::from_millis(100);

/// Calls `check` until it answers `Some`, and hands that on.
///
/// An error of `check` counts as "not yet", since an object may be absent or a server busy; the last one is part of
/// the message.
///
/// # Errors
///
/// When `deadline` has passed; the message names `what`.
pub async fn wait_for<T, F, Fut>(what: &str, deadline: Duration, mut check: F) -> Result<T>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Result<Option<T>>>,
{
    let end = Instant::now() + deadline;
    let mut last = None;
    loop {
        match timeout_at(end, check()).await {
            Ok(Ok(Some(found))) => return Ok(found),
            Ok(Ok(None)) => last = None,
            Ok(Err(error)) => last = Some(error),
            Err(_) => last = last.or_else(|| Some(anyhow!("the check itself did not return"))),
        }
        if Instant::now() + INTERVAL >= end {
            break;
        }
        sleep(INTERVAL).await;
    }
    let message = format!("gave up waiting for {what} after {} s", deadline.as_secs_f32());
    match last {
        Some(error) => Err(error).context(message),
        None => bail!(message),
    }
}
