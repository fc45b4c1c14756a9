//! The one engine of the process, and the thread that makes deadlines pass.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wasmtime::{Cache, Config, Engine};

use crate::limits;

/// How exactly a deadline is kept.
const TICK: Duration = Duration::from_millis(50);
/// Address space set aside for a memory, in bytes; a larger one moves when it grows. Only what is used is resident.
const RESERVATION: u64 = limits::DEFAULT_MEMORY as u64;
/// Address space behind a memory that is never mapped, in bytes.
const GUARD: u64 = 64 * 1024;

/// How plugins are compiled and run. The process that compiles and the one that runs must agree on all of it, or the
/// compiled code is of no use.
pub(crate) fn config(cache: Option<Cache>) -> Config {
    let mut config = Config::new();
    config.cache(cache);
    // Stops a call that does not end.
    config.consume_fuel(true).epoch_interruption(true).max_wasm_stack(limits::STACK);
    // The same answer on every machine.
    config.cranelift_nan_canonicalization(true).wasm_relaxed_simd(false);
    // Little memory: nothing is set aside for calls that do not happen.
    config.memory_reservation(RESERVATION).memory_guard_size(GUARD).memory_reservation_for_growth(0);
    config.generate_address_map(false).native_unwind_info(false);
    config
}

/// Engine and clock of deadlines.
#[derive(Clone)]
pub(crate) struct Runtime {
    pub(crate) engine: Engine,
    ticker: Arc<Ticker>,
}

impl Runtime {
    pub(crate) fn new(cache: Option<Cache>) -> wasmtime::Result<Self> {
        let engine = Engine::new(&config(cache))?;
        let ticker = Arc::new(Ticker::start(engine.clone())?);
        Ok(Self { engine, ticker })
    }

    /// Lets deadlines pass for as long as the value lives.
    pub(crate) fn running(&self) -> Running<'_> {
        self.ticker.shared.change(|state| state.calls += 1);
        Running(&self.ticker.shared)
    }
}

/// Ticks of a deadline, rounded up.
pub(crate) fn ticks(deadline: Duration) -> u64 {
    let ticks = deadline.as_millis().div_ceil(TICK.as_millis());
    u64::try_from(ticks).unwrap_or(u64::MAX).saturating_add(1)
}

/// A thread that counts epochs while calls run and sleeps otherwise.
struct Ticker {
    shared: Arc<Shared>,
}

impl Ticker {
    fn start(engine: Engine) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        std::thread::Builder::new().name("plugin-clock".into()).spawn(move || of_thread.tick(&engine))?;
        Ok(Self { shared })
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.change(|state| state.stopped = true);
    }
}

/// A call that runs.
pub(crate) struct Running<'a>(&'a Shared);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.change(|state| state.calls = state.calls.saturating_sub(1));
    }
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    calls: usize,
    stopped: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    fn tick(&self, engine: &Engine) {
        while self.wait_for_a_call() {
            std::thread::sleep(TICK);
            engine.increment_epoch();
        }
    }

    /// False once nobody needs the clock any more.
    fn wait_for_a_call(&self) -> bool {
        let idle = |state: &mut State| state.calls == 0 && !state.stopped;
        let state = self.changed.wait_while(self.lock(), idle).unwrap_or_else(PoisonError::into_inner);
        !state.stopped
    }
}
