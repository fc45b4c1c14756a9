//! One cluster in virtual time.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use chimera_core::testing::internals;
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::api::{Key, Server, Store};
use crate::cases::Case;
use crate::cluster::{self, Cluster};
use crate::operator::{Process, Start};

/// Nothing is written for so long: it is over.
const QUIET: Duration = Duration::from_secs(5);
/// Done, or refused, within one minute.
const WRITES_A_MINUTE: usize = 60;
/// Between two looks.
const LOOK: Duration = Duration::from_millis(250);

/// One cluster.
pub struct World {
    /// Its API server.
    pub server: Arc<Server>,
    _cluster: Cluster,
}

impl World {
    /// A cluster with a case's objects.
    pub fn new(case: &Case) -> Self {
        let server = Server::new();
        case.objects.iter().for_each(|object| server.seed(object.clone()));
        Self { _cluster: Cluster::start(&server), server }
    }

    /// A cluster as another one ended.
    pub fn resume(store: &Store) -> Self {
        let server = Server::resume(store.clone());
        Self { _cluster: Cluster::start(&server), server }
    }

    /// The cluster of a case after the operator has installed all of it and stopped.
    ///
    /// # Panics
    /// If that does not work.
    pub fn installed(case: &Case) -> Store {
        virtually(async {
            let world = Self::new(case);
            let process = world.operator(Start::default());
            if let Err(why) = world.settle(Duration::from_secs(120)).await {
                panic!("{} is not installed: {why}", case.name);
            }
            process.stop().await;
            world.server.store().clone()
        })
    }

    /// Starts the operator.
    pub fn operator(&self, how: Start) -> Process {
        Process::start(&self.server, how)
    }

    /// Waits until both components are available and nothing is written any more; says how long it took until the last write.
    ///
    /// # Errors
    /// What is not so after `limit`.
    pub async fn settle(&self, limit: Duration) -> Result<Duration, String> {
        self.until(limit, || self.unsettled()).await
    }

    /// Waits until nothing is written any more.
    ///
    /// # Errors
    /// If it goes on after `limit`.
    pub async fn calm(&self, limit: Duration) -> Result<Duration, String> {
        self.until(limit, || None).await
    }

    async fn until(&self, limit: Duration, wrong: impl Fn() -> Option<String>) -> Result<Duration, String> {
        let started = Instant::now();
        let mut last = (self.version(), Instant::now());
        loop {
            sleep(LOOK).await;
            let version = self.version();
            if version != last.0 {
                last = (version, Instant::now());
            }
            let wrong = wrong();
            if wrong.is_none() && last.1.elapsed() >= QUIET {
                self.leaks()?;
                return Ok(last.1.duration_since(started));
            }
            if started.elapsed() > limit {
                return Err(wrong.unwrap_or_else(|| "it is still being written".into()));
            }
        }
    }

    /// The version of the last change that is not only bookkeeping.
    pub fn version(&self) -> u64 {
        let store = self.server.store();
        let kept = store.log().iter().rev().find(|change| !matches!(change.key.kind.kind.as_str(), "Lease" | "Event"));
        kept.map_or(0, |change| change.version)
    }

    /// What of the status does not say that all is well.
    pub fn unsettled(&self) -> Option<String> {
        let told = [(installation(), "Ready"), (status("calico"), "Available"), (status("ippools"), "Available")];
        let generation = self.server.get(&installation()).and_then(|object| object["metadata"]["generation"].as_i64());
        told.into_iter().find_map(|(key, kind)| {
            let object = self.server.get(&key);
            let conditions =
                object.as_ref().and_then(|object| object.pointer("/status/conditions")?.as_array()).cloned();
            let mut of_kind = conditions.iter().flatten().filter(|condition| condition["type"] == kind);
            let well = of_kind.any(|condition| {
                condition["status"] == "True" && condition["observedGeneration"].as_i64() == generation
            });
            (!well).then(|| format!("{key} is not {kind}: {}", text(conditions.map(Value::Array))))
        })
    }

    /// That no status and no Event ever told of the inside of the program.
    fn leaks(&self) -> Result<(), String> {
        let store = self.server.store();
        let told =
            store.log().iter().filter(|change| matches!(change.key.kind.kind.as_str(), "TigeraStatus" | "Event"));
        let mut texts = told.flat_map(|change| messages(&change.object));
        texts
            .find_map(|text| Some((internals(text)?, text)))
            .map_or(Ok(()), |(found, text)| Err(format!("{found:?} is the inside of the program: {text:?}")))
    }

    /// That the operator did not write more often than a cluster bears.
    ///
    /// # Errors
    /// If it did.
    pub fn no_flood(&self, made: &[crate::operator::Made]) -> Result<(), String> {
        let (done, refused) = self.busiest_minute(made);
        if done.max(refused) > WRITES_A_MINUTE {
            return Err(format!("{done} writes were done in one minute, and {refused} refused"));
        }
        Ok(())
    }

    /// The most writes by the operator within any minute: those that were done, and those that were refused.
    fn busiest_minute(&self, made: &[crate::operator::Made]) -> (usize, usize) {
        let writes = || made.iter().filter(|made| made.call.commits() && !made.call.is_bookkeeping());
        let busiest = |committed: bool| {
            let times: Vec<_> = writes().filter(|made| made.committed == committed).map(|made| made.at).collect();
            let within = |start: &Duration| {
                times.iter().filter(|at| **at >= *start && **at < *start + Duration::from_secs(60)).count()
            };
            times.iter().map(within).max().unwrap_or_default()
        };
        (busiest(true), busiest(false))
    }

    /// Everything that others than the operator and its users wrote.
    pub fn is_foreign(manager: &str) -> bool {
        manager == cluster::MANAGER || manager.starts_with("kubectl")
    }
}

/// What a TigeraStatus or an Event tells.
fn messages(object: &Value) -> impl Iterator<Item = &str> {
    let conditions = object.pointer("/status/conditions").and_then(Value::as_array).into_iter().flatten();
    conditions.chain((object["kind"] == "Event").then_some(object)).filter_map(|told| told["message"].as_str())
}

fn text(conditions: Option<Value>) -> String {
    conditions.map_or_else(|| "no status".into(), |conditions| conditions.to_string())
}

/// The Installation.
pub fn installation() -> Key {
    Key::new("operator.tigera.io/v1", "Installation", "", "default")
}

/// A TigeraStatus.
pub fn status(name: &str) -> Key {
    Key::new("operator.tigera.io/v1", "TigeraStatus", "", name)
}

/// Runs something in a runtime of its own, whose clock jumps to the next event whenever nothing runs.
///
/// # Panics
/// If it does.
pub fn virtually<T: Send>(future: impl Future<Output = T> + Send) -> T {
    // In a thread of its own, so that one world can ask for another.
    let run = || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().start_paused(true).max_blocking_threads(1).build();
        runtime.expect("a runtime starts").block_on(future)
    };
    let outcome = std::thread::scope(|scope| scope.spawn(run).join());
    outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
