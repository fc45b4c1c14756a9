//! The operator sees the cluster late, or its watches fail it.

use std::sync::LazyLock;
use std::time::Duration;

use chimera_faults::api::Store;
use chimera_faults::campaign::{self, Plan};
use chimera_faults::cases;
use chimera_faults::fault::{Delivery, Lens};
use chimera_faults::operator::Start;
use chimera_faults::oracle::{self, Snapshot, Summary};
use chimera_faults::world::{World, installation, virtually};
use serde_json::{Value, json};

const RECOVERY: Duration = Duration::from_secs(60);
/// A watch that says nothing is given up after so long.
const STALL: Duration = Duration::from_secs(295);

static FRESH: LazyLock<(Snapshot, Summary, u64)> = LazyLock::new(|| {
    virtually(async {
        let world = World::new(cases::named("default"));
        let lens = Lens::default();
        let process = world.operator(Start { lens: lens.clone(), ..Start::default() });
        world.settle(RECOVERY).await.expect("without faults it works");
        process.stop().await;
        (oracle::snapshot(&world), Summary::since(&world, 0), lens.events())
    })
});

static INSTALLED: LazyLock<Store> = LazyLock::new(|| World::installed(cases::named("default")));

fn edit() -> Value {
    json!({"spec": {"registry": "registry.example.com/"}})
}

static EDITED: LazyLock<(Store, Snapshot)> = LazyLock::new(|| {
    let installed = &*INSTALLED;
    virtually(async {
        let world = World::resume(installed);
        let process = world.operator(Start::default());
        world.server.edit(&installation(), edit());
        world.settle(RECOVERY).await.expect("without faults it works");
        process.stop().await;
        let store = world.server.store().clone();
        (store, oracle::snapshot(&world))
    })
});

async fn event(number: u64, delivery: Delivery) -> Result<(), String> {
    let world = World::new(cases::named("default"));
    let process = world.operator(Start { lens: Lens::faulty(number, delivery), ..Start::default() });
    let limit = if delivery == Delivery::Stalled { STALL + RECOVERY } else { RECOVERY };
    world.settle(limit).await?;
    if !process.runs() {
        return Err(process.stop().await);
    }
    if let Some(difference) = oracle::difference(&FRESH.0, &oracle::snapshot(&world)) {
        return Err(difference);
    }
    Summary::since(&world, 0).excess(&FRESH.1, 1).map_or(Ok(()), Err)
}

#[test]
fn a_watch_that_breaks_stalls_repeats_itself_or_is_too_old_at_any_event_is_got_over() {
    let deliveries = [Delivery::Twice, Delivery::Broken, Delivery::Stalled, Delivery::Gone];
    let mut plans = Vec::new();
    for number in 0..FRESH.2 {
        for delivery in deliveries {
            let name = format!("watch/{number}/{delivery:?}");
            plans.push(Plan { name, what: (number, delivery) });
        }
    }
    // A share of them, ever another kind.
    let plans: Vec<_> = plans.into_iter().enumerate().filter(|(at, _)| at % 5 < 2).map(|(_, plan)| plan).collect();
    campaign::run("faults of watches", &plans, |(number, delivery)| virtually(event(*number, *delivery)));
}

/// The operator installs while it sees everything so many changes late.
async fn late_install(changes: u64, gets: bool) -> Result<(), String> {
    let world = World::new(cases::named("default"));
    let lens = Lens::late(changes, gets);
    let process = world.operator(Start { lens: lens.clone(), ..Start::default() });
    tokio::time::sleep(Duration::from_secs(30)).await;
    lens.clear();
    world.server.touch();
    world.settle(RECOVERY).await?;
    let made = process.connection.made();
    process.stop().await;
    if let Some(difference) = oracle::difference(&FRESH.0, &oracle::snapshot(&world)) {
        return Err(difference);
    }
    world.no_flood(&made)?;
    Summary::since(&world, 0).excess(&FRESH.1, 1).map_or(Ok(()), Err)
}

/// The operator starts after an edit was carried out, and sees the cluster as it was before or amid it.
async fn older_view(changes: u64, gets: bool) -> Result<(), String> {
    let world = World::resume(&EDITED.0);
    let from = world.version();
    let lens = Lens::late(changes, gets);
    let process = world.operator(Start { lens: lens.clone(), ..Start::default() });
    tokio::time::sleep(Duration::from_secs(30)).await;
    lens.clear();
    world.server.touch();
    world.settle(RECOVERY).await?;
    process.stop().await;
    if let Some(difference) = oracle::difference(&EDITED.1, &oracle::snapshot(&world)) {
        return Err(difference);
    }
    // Everything was as it should be, so nothing may be written but statuses.
    Summary::since(&world, from).excess(&Summary::default(), 0).map_or(Ok(()), Err)
}

#[test]
fn an_operator_that_sees_the_cluster_late_does_no_harm_and_catches_up() {
    let mut plans = Vec::new();
    for changes in (1..=20).chain([30, 45, 80]) {
        for gets in [false, true] {
            let kind = if gets { "everything" } else { "watches" };
            plans.push(Plan { name: format!("late/install/{kind}/{changes}"), what: (true, changes, gets) });
            plans.push(Plan { name: format!("late/restart/{kind}/{changes}"), what: (false, changes, gets) });
        }
    }
    campaign::run("late views", &plans, |(install, changes, gets)| {
        if *install { virtually(late_install(*changes, *gets)) } else { virtually(older_view(*changes, *gets)) }
    });
}
