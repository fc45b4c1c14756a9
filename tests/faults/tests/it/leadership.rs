//! Two operators, one lease.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use chimera_faults::api::{Key, Server, Store};
use chimera_faults::campaign::{self, Plan};
use chimera_faults::cases;
use chimera_faults::fault::{Effect, Hook};
use chimera_faults::operator::{Made, Process, Start};
use chimera_faults::world::{World, installation, virtually};
use jiff::SignedDuration;
use serde_json::json;
use tokio::time::{Instant, sleep};

/// Longest time without anybody who leads.
const TAKE_OVER: Duration = Duration::from_secs(20);

static INSTALLED: LazyLock<Store> = LazyLock::new(|| World::installed(cases::named("default")));

fn lease() -> Key {
    Key::new("coordination.k8s.io/v1", "Lease", "tigera-operator", "operator-lock")
}

fn holder(server: &Server) -> String {
    let lease = server.get(&lease());
    lease.and_then(|lease| lease.pointer("/spec/holderIdentity")?.as_str().map(Into::into)).unwrap_or_default()
}

fn candidate(world: &World, name: &'static str, minutes: i64, hook: Hook) -> Process {
    let skew = Some(SignedDuration::from_mins(minutes));
    world.operator(Start { hook, candidate: Some(name), skew, ..Start::default() })
}

/// Waits until somebody holds the lease; says how long it took.
async fn held_by(world: &World, name: &str, limit: Duration) -> Result<Duration, String> {
    let started = Instant::now();
    while holder(&world.server) != name {
        if started.elapsed() > limit {
            return Err(format!("after {limit:?} the lease is held by {:?}, not by {name}", holder(&world.server)));
        }
        sleep(Duration::from_millis(100)).await;
    }
    Ok(started.elapsed())
}

/// What a process wrote, leases and Events aside.
fn written(made: &[Made]) -> Vec<&Made> {
    made.iter().filter(|made| made.committed && !made.call.is_bookkeeping()).collect()
}

fn edit(world: &World, number: i64) {
    world.server.edit(&installation(), json!({"spec": {"nodeMetricsPort": 9000 + number}}));
}

/// How the first leader ends.
#[derive(Clone, Copy, Debug)]
enum End {
    /// Like a machine that fails.
    Killed,
    /// By SIGTERM.
    Stopped,
    /// Its calls break.
    CutOff,
    /// Its calls are not answered.
    Silent,
    /// Its calls are done and not answered.
    Deaf,
}

async fn taken_over(end: End, after: u64, first_skew: i64, second_skew: i64) -> Result<(), String> {
    let world = World::resume(&INSTALLED);
    let at = Duration::from_secs(after);
    let cut: Hook = Arc::new(move |seen| match end {
        End::CutOff if seen.at >= at => Effect::Broken,
        End::Silent if seen.at >= at => Effect::Hang,
        End::Deaf if seen.at >= at => Effect::HangAfter,
        _ => Effect::Pass,
    });
    let first = candidate(&world, "first", first_skew, cut);
    held_by(&world, "first", Duration::from_secs(5)).await?;
    let second = candidate(&world, "second", second_skew, chimera_faults::fault::none());
    while world.server.elapsed() < at {
        sleep(Duration::from_millis(500)).await;
        if holder(&world.server) != "first" {
            return Err("the lease was taken from a leader that was well".into());
        }
    }
    if !written(&second.connection.made()).is_empty() {
        return Err("the second wrote while the first led".into());
    }
    let connection = Arc::clone(&first.connection);
    match end {
        End::Killed => first.kill().await,
        End::Stopped => drop(first.stop().await),
        End::CutOff | End::Silent | End::Deaf => drop(tokio::spawn(async move {
            let mut first = first;
            first.ended().await
        })),
    }
    edit(&world, 1);
    let took = held_by(&world, "second", TAKE_OVER).await?;
    let since = world.server.elapsed();
    if matches!(end, End::Stopped) && took > Duration::from_secs(4) {
        return Err(format!("a lease that was given back was taken only after {took:?}"));
    }
    world.settle(Duration::from_secs(60)).await?;
    let late: Vec<_> =
        connection.made().into_iter().filter(|made| made.sent > since && made.call.verb.writes()).collect();
    if !late.is_empty() {
        return Err(format!("the first called after it was deposed: {}", late[0].call));
    }
    if written(&second.connection.made()).is_empty() {
        Err("the second did not carry out the edit".into())
    } else {
        Ok(())
    }
}

#[test]
fn another_operator_takes_over_within_twenty_seconds_and_never_before_whatever_the_clocks_say() {
    let mut plans = Vec::new();
    for end in [End::Killed, End::Stopped, End::CutOff, End::Silent, End::Deaf] {
        for (first, second) in [(0, 0), (5, 0), (-5, 0), (0, 5), (0, -5), (5, -5)] {
            for after in [10, 21, 63] {
                let name = format!("lease/{end:?}/{after}/{first}/{second}");
                plans.push(Plan { name, what: (end, after, first, second) });
            }
        }
    }
    campaign::run("leadership", &plans, |(end, after, first, second)| {
        virtually(taken_over(*end, *after, *first, *second))
    });
}

/// The leader stands still amid a write, and another one takes the lease meanwhile.
async fn frozen(write: usize) -> Result<(), String> {
    let world = World::new(cases::named("default"));
    let hook: Hook = Arc::new(move |seen| match seen.write_number {
        Some(number) if number == write => Effect::Freeze(Duration::from_secs(20)),
        _ => Effect::Pass,
    });
    let mut process = candidate(&world, "first", 0, hook);
    let (server, connection) = (Arc::clone(&world.server), Arc::clone(&process.connection));
    process.connection.while_frozen(move || {
        server.edit(&lease(), json!({"spec": {"holderIdentity": "thief", "renewTime": "2030-01-01T00:00:00.000000Z"}}));
    });
    let why =
        tokio::time::timeout(Duration::from_secs(60), process.ended()).await.map_err(|_| "it goes on".to_owned())?;
    if !why.contains("lost the lease") {
        return Err(why);
    }
    // What was on its way already cannot be called back.
    let thawed = Duration::from_secs(20);
    let late = connection.made().into_iter().find(|made| made.sent >= thawed && made.call.verb.writes());
    match late {
        Some(made) => Err(format!("it called after it had been deposed: {}", made.call)),
        None if holder(&world.server) != "thief" => Err("it took the lease back".into()),
        None => Ok(()),
    }
}

#[test]
fn a_leader_that_stood_still_and_was_deposed_meanwhile_writes_nothing_more() {
    let plans: Vec<_> = (0..36).map(|write| Plan { name: format!("frozen/{write}"), what: write }).collect();
    campaign::run("frozen leaders", &plans, |write| virtually(frozen(*write)));
}
