//! Watches that only some configurations need: begun when one does, and kept from then on.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::{Mutex, PoisonError};

use tokio::task::JoinSet;

/// Those that were begun; they end with this value.
#[derive(Debug, Default)]
pub struct Lazy(Mutex<Begun>);

#[derive(Debug, Default)]
struct Begun {
    names: BTreeSet<String>,
    tasks: JoinSet<()>,
}

impl Lazy {
    /// Begins a watch, unless one of this name was begun before.
    pub fn begin<F: Future<Output = ()> + Send + 'static>(&self, name: String, watch: impl FnOnce() -> F) {
        let mut begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if begun.names.insert(name) {
            begun.tasks.spawn(watch());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::Notify;

    use super::*;

    #[tokio::test]
    async fn a_watch_is_begun_once_and_ends_with_whoever_began_it() {
        let (lazy, begun, ended) = (Lazy::default(), Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
        struct Ends(Arc<Notify>);
        impl Drop for Ends {
            fn drop(&mut self) {
                self.0.notify_one();
            }
        }
        for _ in 0..3 {
            let (begun, ends) = (Arc::clone(&begun), Ends(Arc::clone(&ended)));
            lazy.begin("sheep".into(), move || async move {
                begun.fetch_add(1, Ordering::Relaxed);
                let _ends = ends;
                std::future::pending::<()>().await;
            });
            tokio::task::yield_now().await;
        }
        assert_eq!(begun.load(Ordering::Relaxed), 1);
        // Two were never begun, so their part was dropped at once.
        ended.notified().await;
        drop(lazy);
        ended.notified().await;
    }
}
