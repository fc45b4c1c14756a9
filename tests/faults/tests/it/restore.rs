//! Somebody deletes what the operator owns, or takes off what marks it as such.

use std::sync::LazyLock;
use std::time::Duration;

use chimera_faults::api::{Key, Store};
use chimera_faults::campaign::{self, Plan};
use chimera_faults::cases;
use chimera_faults::operator::Start;
use chimera_faults::oracle;
use chimera_faults::world::{World, status, virtually};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(60);

static INSTALLED: LazyLock<Store> = LazyLock::new(|| World::installed(cases::named("default")));

/// What somebody does to an object.
#[derive(Clone)]
enum Deed {
    Delete,
    Patch(Value),
}

impl Deed {
    fn all() -> [(&'static str, Self); 6] {
        let metadata = |what: Value| Self::Patch(json!({"metadata": what}));
        // Not the annotations too: a Secret without any mark of the operator is the user's own.
        let everything = json!({"ownerReferences": null, "labels": null, "finalizers": null});
        [
            ("delete", Self::Delete),
            ("owners", metadata(json!({"ownerReferences": null}))),
            ("labels", metadata(json!({"labels": null}))),
            ("finalizers", metadata(json!({"finalizers": null}))),
            ("annotations", metadata(json!({"annotations": null}))),
            ("everything", metadata(everything)),
        ]
    }

    fn done(&self, world: &World, key: &Key) {
        match self {
            Self::Delete => world.server.delete(key),
            Self::Patch(patch) => world.server.edit(key, patch.clone()),
        }
    }
}

async fn restored(key: &Key, deed: &Deed, running: bool) -> Result<(), String> {
    let world = World::resume(&INSTALLED);
    let before = oracle::snapshot(&world);
    let start = || world.operator(Start::default());
    let process = if running {
        let process = start();
        tokio::time::sleep(Duration::from_secs(2)).await;
        deed.done(&world, key);
        process
    } else {
        deed.done(&world, key);
        start()
    };
    world.settle(LIMIT).await?;
    process.stop().await;
    oracle::difference(&before, &oracle::snapshot(&world)).map_or(Ok(()), Err)
}

#[test]
fn whatever_is_deleted_or_stripped_is_rebuilt_whether_the_operator_runs_or_not() {
    let world = virtually(async { World::resume(&INSTALLED) });
    let mut keys = oracle::owned(&world);
    assert!(keys.len() > 25, "only {} objects are owned", keys.len());
    keys.extend([status("calico"), status("ippools")]);
    let mut plans = Vec::new();
    for key in &keys {
        for (name, deed) in Deed::all() {
            for running in [true, false] {
                let place = if running { "running" } else { "down" };
                let object = key.to_string().replace(' ', "/");
                plans.push(Plan {
                    name: format!("restore/{name}/{place}/{object}"),
                    what: (key.clone(), deed.clone(), running),
                });
            }
        }
    }
    campaign::run("deleted and stripped objects", &plans, |(key, deed, running)| {
        virtually(restored(key, deed, *running))
    });
}
