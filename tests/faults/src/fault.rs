//! What goes wrong, and when.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::api::Call;
use crate::api::status::Refusal;

/// What becomes of one call.
#[derive(Clone, Debug)]
pub enum Effect {
    /// It is answered as it should be.
    Pass,
    /// It is refused, and nothing is done.
    Refuse(Refused),
    /// It is done, and then answered with an error.
    RefuseAfter(Refused),
    /// The connection breaks before it is done.
    Broken,
    /// It is done, and the connection breaks before the answer.
    BrokenAfter,
    /// It is never answered, and nothing is done.
    Hang,
    /// It is done, and never answered.
    HangAfter,
    /// It is done, and half of the answer comes.
    Truncated,
    /// The operator dies.
    Crash(Moment),
    /// The process stands still for so long before it sees the answer, and another process takes the lease meanwhile.
    Freeze(Duration),
}

/// When the operator dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Nothing was done.
    BeforeSend,
    /// It was done, and nobody heard of it.
    AfterCommit,
    /// It was done and answered; the operator dies as it asks for the next thing.
    AfterResponse,
}

impl Moment {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::BeforeSend, Self::AfterCommit, Self::AfterResponse];
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BeforeSend => "before-send",
            Self::AfterCommit => "after-commit",
            Self::AfterResponse => "after-response",
        })
    }
}

/// An error that the server answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// HTTP status.
    pub code: u16,
    /// `reason` of the `Status`.
    pub reason: &'static str,
    /// `message` of the `Status`.
    pub message: &'static str,
    /// Seconds of `Retry-After`.
    pub retry_after: Option<u32>,
}

impl Refused {
    /// Every error that a working API server gives now and then.
    pub const ALL: [Self; 9] = [
        Self::new(401, "Unauthorized", "Unauthorized"),
        Self::new(403, "Forbidden", "User \"operator\" cannot do this resource"),
        Self::new(409, "Conflict", "the object has been modified"),
        Self::new(410, "Expired", "too old resource version"),
        Self { retry_after: Some(3), ..Self::new(429, "TooManyRequests", "too many requests") },
        Self::new(500, "InternalError", "etcdserver: leader changed"),
        Self::new(502, "", "bad gateway"),
        Self::new(503, "ServiceUnavailable", "the server is currently unable to handle the request"),
        Self::new(504, "Timeout", "request did not complete within the allotted timeout"),
    ];

    /// Without `Retry-After`.
    pub const fn new(code: u16, reason: &'static str, message: &'static str) -> Self {
        Self { code, reason, message, retry_after: None }
    }

    /// As the server answers a call with it.
    pub fn refusal(&self, call: &Call) -> Refusal {
        let mut refusal = Refusal::new(self.code, self.reason, self.message, call);
        if let Some(seconds) = self.retry_after {
            refusal.body["details"]["retryAfterSeconds"] = json!(seconds);
        }
        refusal
    }
}

/// One call as a fault sees it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The how manieth call of this process, from 0.
    pub call_number: usize,
    /// The how manieth write of this process, from 0; none for a read.
    pub write_number: Option<usize>,
    /// The call.
    pub call: &'a Call,
    /// Since the world began.
    pub at: Duration,
}

/// Decides what becomes of each call.
pub type Hook = Arc<dyn Fn(&Seen<'_>) -> Effect + Send + Sync>;

/// Nothing goes wrong.
pub fn none() -> Hook {
    Arc::new(|_| Effect::Pass)
}

/// What becomes of one event of a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// It arrives.
    Once,
    /// It arrives twice.
    Twice,
    /// It never arrives.
    Lost,
    /// The watch ends instead.
    Broken,
    /// The watch says nothing any more, and does not end.
    Stalled,
    /// The watch ends with 410.
    Gone,
}

/// How a process sees the cluster: late, or with faults in its watches. Clones share.
#[derive(Clone, Debug, Default)]
pub struct Lens(Arc<Shape>);

#[derive(Debug, Default)]
struct Shape {
    watch_lag: AtomicU64,
    list_lag: AtomicU64,
    get_lag: AtomicU64,
    events: AtomicU64,
    fault: std::sync::Mutex<Option<(u64, Delivery)>>,
    struck: AtomicBool,
}

impl Lens {
    /// Watches and lists are so many changes late, reads of one object too if `gets`.
    pub fn late(changes: u64, gets: bool) -> Self {
        let lens = Self::default();
        lens.0.watch_lag.store(changes, Ordering::Relaxed);
        lens.0.list_lag.store(changes, Ordering::Relaxed);
        lens.0.get_lag.store(if gets { changes } else { 0 }, Ordering::Relaxed);
        lens
    }

    /// This becomes of one event, the how manieth of all watches.
    pub fn faulty(event: u64, delivery: Delivery) -> Self {
        let lens = Self::default();
        if let Ok(mut fault) = lens.0.fault.lock() {
            *fault = Some((event, delivery));
        }
        lens
    }

    /// Sees clearly from now on.
    pub fn clear(&self) {
        for lag in [&self.0.watch_lag, &self.0.list_lag, &self.0.get_lag] {
            lag.store(0, Ordering::Relaxed);
        }
    }

    /// Whether the fault of an event has come.
    pub fn struck(&self) -> bool {
        self.0.struck.load(Ordering::Relaxed)
    }

    /// Events delivered so far.
    pub fn events(&self) -> u64 {
        self.0.events.load(Ordering::Relaxed)
    }

    pub(crate) fn watch_lag(&self) -> u64 {
        self.0.watch_lag.load(Ordering::Relaxed)
    }

    pub(crate) fn lag(&self, list: bool) -> u64 {
        if list { &self.0.list_lag } else { &self.0.get_lag }.load(Ordering::Relaxed)
    }

    pub(crate) fn delivery(&self) -> Delivery {
        let number = self.0.events.fetch_add(1, Ordering::Relaxed);
        let fault = self.0.fault.lock().ok().and_then(|fault| *fault);
        match fault {
            Some((event, delivery)) if event == number => {
                self.0.struck.store(true, Ordering::Relaxed);
                delivery
            }
            _ => Delivery::Once,
        }
    }
}
