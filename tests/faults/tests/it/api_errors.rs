//! The API server refuses, breaks off, hangs or answers with rubbish: once at each call, or for a while.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use chimera_faults::api::{Store, Verb};
use chimera_faults::campaign::{self, Plan};
use chimera_faults::cases;
use chimera_faults::fault::{Effect, Hook, Refused, Seen};
use chimera_faults::operator::{Made, Start};
use chimera_faults::oracle::{self, Snapshot, Summary};
use chimera_faults::world::{World, installation, virtually};
use serde_json::json;

/// Everything is well again so long after the fault's end, rollouts included.
const RECOVERY: Duration = Duration::from_secs(60);
/// Runs every fault at every call, instead of a share of them.
const ALL: &str = "CHIMERA_FAULTS_ALL";

struct Reference {
    snapshot: Snapshot,
    summary: Summary,
    calls: Vec<(Verb, bool)>,
}

static REFERENCE: LazyLock<Reference> = LazyLock::new(|| {
    virtually(async {
        let world = World::new(cases::named("default"));
        let process = world.operator(Start::default());
        world.settle(RECOVERY).await.expect("without faults it works");
        let made = process.connection.made();
        process.stop().await;
        let calls = made.iter().map(|made| (made.call.verb, made.call.commits())).collect();
        Reference { snapshot: oracle::snapshot(&world), summary: Summary::since(&world, 0), calls }
    })
});

static INSTALLED: LazyLock<Store> = LazyLock::new(|| World::installed(cases::named("default")));

/// Faults that a call may meet.
fn effects(verb: Verb, commits: bool) -> Vec<(String, Effect)> {
    let refused = Refused::ALL.into_iter().map(|refused| (refused.code.to_string(), Effect::Refuse(refused)));
    let mut all: Vec<_> = refused.collect();
    all.extend([("broken".into(), Effect::Broken), ("truncated".into(), Effect::Truncated)]);
    if verb != Verb::Watch {
        all.push(("hang".into(), Effect::Hang));
    }
    if commits {
        all.extend([("broken-after".into(), Effect::BrokenAfter), ("hang-after".into(), Effect::HangAfter)]);
        let late = Refused::ALL.into_iter().filter(|refused| matches!(refused.code, 500 | 504));
        all.extend(late.map(|refused| (format!("{}-after", refused.code), Effect::RefuseAfter(refused))));
    }
    all
}

async fn once(number: usize, effect: &Effect) -> Result<(), String> {
    let effect = effect.clone();
    let hook: Hook = Arc::new(move |seen| if seen.call_number == number { effect.clone() } else { Effect::Pass });
    let world = World::new(cases::named("default"));
    let process = world.operator(Start { hook, ..Start::default() });
    // A call that hangs is given up after 40 s.
    world.settle(RECOVERY + Duration::from_secs(40)).await?;
    check(&world, &REFERENCE, &process.connection.made(), 1)?;
    if process.runs() { Ok(()) } else { Err(process.stop().await) }
}

fn check(world: &World, reference: &Reference, made: &[Made], updates: usize) -> Result<(), String> {
    if let Some(difference) = oracle::difference(&reference.snapshot, &oracle::snapshot(world)) {
        return Err(difference);
    }
    world.no_flood(made)?;
    Summary::since(world, 0).excess(&reference.summary, updates).map_or(Ok(()), Err)
}

#[test]
fn a_fault_at_any_call_is_got_over() {
    let every = std::env::var_os(ALL).is_some();
    let mut plans = Vec::new();
    for (number, (verb, commits)) in REFERENCE.calls.iter().enumerate() {
        for (at, (name, effect)) in effects(*verb, *commits).into_iter().enumerate() {
            if every || (number + at) % 4 == 0 {
                plans.push(Plan { name: format!("api/{number}/{name}"), what: (number, effect) });
            }
        }
    }
    campaign::run("faults at single calls", &plans, |(number, effect)| virtually(once(*number, effect)));
}

/// A time in which calls go wrong.
#[derive(Clone)]
struct Outage {
    effect: Effect,
    from: Duration,
    to: Duration,
    /// Of 100 calls, picked by this seed.
    percent: u64,
    seed: u64,
    writes_only: bool,
    edit: bool,
}

impl Outage {
    fn hook(&self) -> Hook {
        let outage = self.clone();
        Arc::new(move |seen| if outage.strikes(seen) { outage.effect.clone() } else { Effect::Pass })
    }

    fn strikes(&self, seen: &Seen<'_>) -> bool {
        let number = u64::try_from(seen.call_number).unwrap_or_default();
        let dice = (number + 1).wrapping_mul(self.seed | 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
        let within = seen.at >= self.from && seen.at < self.to;
        within && dice % 100 < self.percent && (!self.writes_only || seen.call.verb.writes())
    }
}

async fn through(outage: &Outage) -> Result<(), String> {
    let world = if outage.edit { World::resume(&INSTALLED) } else { World::new(cases::named("default")) };
    let process = world.operator(Start { hook: outage.hook(), ..Start::default() });
    if outage.edit {
        tokio::time::sleep(outage.from + Duration::from_secs(1)).await;
        world.server.edit(&installation(), json!({"spec": {"registry": "registry.example.com/"}}));
    }
    tokio::time::sleep_until(tokio::time::Instant::now() + outage.to.saturating_sub(world.server.elapsed())).await;
    let took = world.settle(RECOVERY + Duration::from_secs(6)).await?;
    if took > RECOVERY {
        return Err(format!("it took {took:?} after the end of the fault"));
    }
    if !process.runs() {
        return Err(process.stop().await);
    }
    world.no_flood(&process.connection.made())?;
    if outage.edit {
        return Ok(());
    }
    oracle::difference(&REFERENCE.snapshot, &oracle::snapshot(&world)).map_or(Ok(()), Err)
}

#[test]
fn an_outage_of_any_kind_and_length_is_got_over_within_a_minute_and_without_a_flood() {
    let seconds = Duration::from_secs;
    let mut effects: Vec<_> =
        Refused::ALL.into_iter().map(|refused| (refused.code.to_string(), Effect::Refuse(refused))).collect();
    effects.extend([
        ("broken".into(), Effect::Broken),
        ("hang".into(), Effect::Hang),
        ("truncated".into(), Effect::Truncated),
    ]);
    let mut plans = Vec::new();
    for (name, effect) in effects {
        let outage = |from, to| Outage {
            effect: effect.clone(),
            from,
            to,
            percent: 100,
            seed: 1,
            writes_only: false,
            edit: false,
        };
        let mut add =
            |kind: &str, outage: Outage| plans.push(Plan { name: format!("outage/{name}/{kind}"), what: outage });
        add("start", outage(seconds(0), seconds(30)));
        add("middle", outage(Duration::from_millis(80), seconds(20)));
        add("long", outage(seconds(0), seconds(600)));
        add("writes", Outage { writes_only: true, ..outage(seconds(0), seconds(200)) });
        add("edit", Outage { edit: true, ..outage(seconds(5), seconds(400)) });
        for seed in 1..=2 {
            add(&format!("third/{seed}"), Outage { percent: 30, seed, ..outage(seconds(0), seconds(300)) });
        }
    }
    campaign::run("outages", &plans, |outage| virtually(through(outage)));
}
