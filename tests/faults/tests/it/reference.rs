//! Without faults.

use std::time::Duration;

use chimera_faults::campaign::{self, Plan};
use chimera_faults::cases::{self, Case};
use chimera_faults::operator::Start;
use chimera_faults::world::{World, virtually};

/// An install may take this long; rollouts take 2 s.
const LIMIT: Duration = Duration::from_secs(30);

#[test]
fn every_case_is_installed_and_then_nothing_is_written_for_ten_minutes_nor_after_a_restart() {
    let plans: Vec<_> =
        cases::all().iter().map(|case| Plan { name: format!("reference/{}", case.name), what: case }).collect();
    campaign::run("without faults", &plans, |case| virtually(quiet(case)));
}

async fn quiet(case: &Case) -> Result<(), String> {
    let world = World::new(case);
    let process = world.operator(Start::default());
    world.settle(LIMIT).await?;
    // Events included: one that tells of the last change comes after it.
    let settled = world.server.store().log().last().map_or(0, |change| change.version);
    tokio::time::sleep(Duration::from_secs(600)).await;
    process.kill().await;
    let process = world.operator(Start::default());
    tokio::time::sleep(Duration::from_secs(60)).await;
    let ended = !process.runs();
    process.kill().await;
    let written: Vec<_> = world
        .server
        .store()
        .log()
        .iter()
        .filter(|change| change.version > settled)
        .map(|change| change.key.to_string())
        .collect();
    match (ended, written.is_empty()) {
        (true, _) => Err("the operator ended by itself".into()),
        (false, true) => Ok(()),
        (false, false) => Err(format!("written after it had settled: {written:?}")),
    }
}
