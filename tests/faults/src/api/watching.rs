//! Watches: a stream of lines that goes on until somebody ends it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::Stream;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::call::Call;
use super::read::{covers, metadata, selector};
use super::selector::Selector;
use super::server::Server;
use super::store::{Change, ChangeKind};
use crate::fault::{Delivery, Lens};

/// Time between two bookmarks.
const BOOKMARK: Duration = Duration::from_secs(60);

/// One watch that runs.
struct Watching {
    server: Arc<Server>,
    call: Call,
    selector: Selector,
    lens: Lens,
    changed: watch::Receiver<u64>,
    /// Everything up to this version was told.
    seen: u64,
    ends: Instant,
    bookmark: Instant,
    ready: VecDeque<String>,
    stalled: bool,
    over: bool,
}

/// The lines of a watch.
pub(crate) fn lines(
    server: &Arc<Server>,
    call: Call,
    lens: Lens,
) -> impl Stream<Item = Result<Bytes, std::io::Error>> + Send + 'static {
    let from = call.param("resourceVersion").and_then(|version| version.parse().ok()).unwrap_or_default();
    let seconds = call.param("timeoutSeconds").and_then(|seconds| seconds.parse().ok()).unwrap_or(290);
    let state = Watching {
        selector: selector(&call),
        changed: server.subscribe(),
        server: Arc::clone(server),
        lens,
        seen: from,
        ends: Instant::now() + Duration::from_secs(seconds),
        bookmark: Instant::now() + BOOKMARK,
        ready: VecDeque::new(),
        stalled: false,
        over: false,
        call,
    };
    futures::stream::unfold(state, |mut state| async move {
        let line = state.next().await?;
        Some((Ok(Bytes::from(line)), state))
    })
}

impl Watching {
    async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(line) = self.ready.pop_front() {
                return Some(line);
            }
            if self.over {
                return None;
            }
            if self.stalled {
                std::future::pending::<()>().await;
            }
            if self.seen < self.server.compacted() {
                self.over = true;
                return Some(gone());
            }
            self.changed.mark_unchanged();
            self.collect();
            if self.ready.is_empty() && !self.over && !self.stalled && !self.wait().await {
                return None;
            }
        }
    }

    /// Waits for news; false when the time is up.
    async fn wait(&mut self) -> bool {
        tokio::select! {
            changed = self.changed.changed() => changed.is_ok(),
            () = sleep_until(self.ends) => false,
            () = sleep_until(self.bookmark) => {
                self.bookmark = Instant::now() + BOOKMARK;
                let bookmark = self.bookmark_line();
                self.ready.extend(bookmark);
                true
            }
        }
    }

    /// Everything that may be told by now.
    fn collect(&mut self) {
        let server = Arc::clone(&self.server);
        let store = server.store();
        let visible = super::read::behind(&store, self.lens.watch_lag());
        let start = store.log().partition_point(|change| change.version <= self.seen);
        for change in store.log().iter().skip(start).take_while(|change| change.version <= visible) {
            let Some(line) = self.line(change) else {
                self.seen = change.version;
                continue;
            };
            match self.lens.delivery() {
                Delivery::Once => self.ready.push_back(line),
                Delivery::Twice => self.ready.extend([line.clone(), line]),
                Delivery::Lost => {}
                Delivery::Broken => self.over = true,
                Delivery::Stalled => self.stalled = true,
                Delivery::Gone => {
                    self.ready.push_back(gone());
                    self.over = true;
                }
            }
            if self.over || self.stalled {
                return;
            }
            self.seen = change.version;
        }
    }

    fn line(&self, change: &Change) -> Option<String> {
        if !covers(&self.call, &change.key) {
            return None;
        }
        let before = change.before.as_ref().is_some_and(|before| self.selector.matches(before));
        let after = change.kind != ChangeKind::Deleted && self.selector.matches(&change.object);
        let kind = match (before, after) {
            (false, true) => "ADDED",
            (true, true) => "MODIFIED",
            (true, false) => "DELETED",
            (false, false) => return None,
        };
        let object = if self.call.metadata_only { metadata(&change.object) } else { (*change.object).clone() };
        Some(format!("{}\n", json!({"type": kind, "object": object})))
    }

    fn bookmark_line(&self) -> Option<String> {
        let kind = self.call.kind?;
        let (api_version, kind) = match self.call.metadata_only {
            true => ("meta.k8s.io/v1".to_owned(), "PartialObjectMetadata".to_owned()),
            false => (kind.api_version(), kind.kind.clone()),
        };
        let metadata = json!({"resourceVersion": self.seen.max(1).to_string()});
        Some(format!(
            "{}\n",
            json!({"type": "BOOKMARK", "object": {"apiVersion": api_version, "kind": kind, "metadata": metadata}})
        ))
    }
}

fn gone() -> String {
    let status: Value = super::status::Refusal::expired().body;
    format!("{}\n", json!({"type": "ERROR", "object": status}))
}
