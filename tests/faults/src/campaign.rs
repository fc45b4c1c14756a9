//! Many plans, each on its own, over all processors.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Environment variable that picks the plans whose name begins so; their logs are shown.
pub const PICK: &str = "CHIMERA_FAULT_PLAN";
/// Failing plans that are told in full.
const SHOWN: usize = 8;

/// One plan.
pub struct Plan<T> {
    /// Unique; it alone says what happens.
    pub name: String,
    /// What happens.
    pub what: T,
}

/// Runs every plan; prints how many there were and how long it took.
///
/// # Panics
/// If any plan fails; tells how to run it alone.
pub fn run<T: Sync>(campaign: &str, plans: &[Plan<T>], act: impl Fn(&T) -> Result<(), String> + Sync) {
    let pick = std::env::var(PICK).ok();
    if pick.is_some() {
        let _ = tracing_subscriber::fmt().with_env_filter(filter()).with_test_writer().try_init();
    }
    let exact = plans.iter().any(|plan| pick.as_ref() == Some(&plan.name));
    let fits = |name: &str, pick: &str| if exact { name == pick } else { name.starts_with(pick) };
    let picked: Vec<_> = plans.iter().filter(|plan| pick.as_ref().is_none_or(|pick| fits(&plan.name, pick))).collect();
    let (next, failures, started) = (AtomicUsize::new(0), Mutex::new(Vec::new()), Instant::now());
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(picked.len()) {
            scope.spawn(|| {
                while let Some(plan) = picked.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = caught(|| act(&plan.what)) {
                        failures.lock().expect("no plan panics here").push((plan.name.clone(), why));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().expect("no plan panics here");
    failures.sort();
    let took = started.elapsed();
    println!("{campaign}: {} plans, {} failed, {:.1} s", picked.len(), failures.len(), took.as_secs_f64());
    assert!(failures.is_empty(), "{}", told(&failures));
}

fn filter() -> tracing_subscriber::EnvFilter {
    tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| "debug".into())
}

fn caught(act: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("it panicked: {}", text.unwrap_or("without words")))
    })
}

fn told(failures: &[(String, String)]) -> String {
    let one = |(name, why): &(String, String)| {
        format!("{name}\n  {why}\n  alone: {PICK}={name} cargo test -p chimera-faults")
    };
    let shown: Vec<_> = failures.iter().take(SHOWN).map(one).collect();
    let names: Vec<_> = failures.iter().skip(SHOWN).take(200).map(|(name, _)| name.as_str()).collect();
    format!("{} plans failed\n{}\nfurther: {}", failures.len(), shown.join("\n"), names.join(" "))
}
