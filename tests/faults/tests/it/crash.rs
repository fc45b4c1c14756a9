//! The operator dies at every write that it does, and starts again with an empty memory.

use std::sync::Arc;
use std::sync::OnceLock;
use std::time::Duration;

use chimera_faults::api::Store;
use chimera_faults::campaign::{self, Plan};
use chimera_faults::cases::{self, Case};
use chimera_faults::fault::{Effect, Hook, Moment};
use chimera_faults::operator::{Process, Start};
use chimera_faults::oracle::{self, Snapshot, Summary};
use chimera_faults::world::{World, installation, virtually};
use serde_json::{Value, json};

/// After the last crash.
const LIMIT: Duration = Duration::from_secs(60);

/// How a plan begins.
enum Beginning {
    /// Nothing is installed.
    Fresh(&'static Case),
    /// A case is installed, and then its Installation gets this merge patch.
    Edited(&'static Case, Value),
    /// A case is installed, and something else happens to it while the operator is away.
    Damaged(&'static Case, fn(&World)),
}

/// A beginning with what comes of it when nothing goes wrong.
struct Scenario {
    name: String,
    beginning: Beginning,
    installed: OnceLock<Store>,
    reference: OnceLock<Reference>,
}

struct Reference {
    snapshot: Snapshot,
    summary: Summary,
    writes: usize,
}

impl Scenario {
    fn new(name: &str, beginning: Beginning) -> Self {
        Self { name: name.into(), beginning, installed: OnceLock::new(), reference: OnceLock::new() }
    }

    /// The world as it is before the operator starts.
    fn world(&self) -> World {
        match &self.beginning {
            Beginning::Fresh(case) => World::new(case),
            Beginning::Edited(case, _) => World::resume(self.installed(case)),
            Beginning::Damaged(case, damage) => {
                let world = World::resume(self.installed(case));
                damage(&world);
                world
            }
        }
    }

    fn installed(&self, case: &Case) -> &Store {
        self.installed.get_or_init(|| World::installed(case))
    }

    /// Starts the operator; what happens to the Installation happens while it runs.
    async fn start(&self, world: &World, hook: Hook) -> Process {
        let process = world.operator(Start { hook, ..Start::default() });
        if let Beginning::Edited(_, patch) = &self.beginning {
            tokio::time::sleep(Duration::from_secs(1)).await;
            world.server.edit(&installation(), patch.clone());
        }
        process
    }

    /// What comes of it when nothing goes wrong.
    fn reference(&self) -> &Reference {
        self.reference.get_or_init(|| {
            // Not inside the runtime: it takes one of its own.
            if let Beginning::Edited(case, _) | Beginning::Damaged(case, _) = &self.beginning {
                self.installed(case);
            }
            virtually(async {
                let world = self.world();
                let from = world.version();
                let process = self.start(&world, chimera_faults::fault::none()).await;
                world.settle(LIMIT).await.unwrap_or_else(|why| panic!("{}: {why}", self.name));
                let made = process.connection.made();
                process.stop().await;
                let writes = made.iter().filter(|made| made.call.commits() && !made.call.is_bookkeeping()).count();
                Reference { snapshot: oracle::snapshot(&world), summary: Summary::since(&world, from), writes }
            })
        })
    }

    async fn run(&self, crashes: &[(usize, Moment)]) -> Result<(), String> {
        let reference = self.reference();
        let world = self.world();
        let from = world.version();
        for (number, (write, moment)) in crashes.iter().enumerate() {
            let hook = dies_at(*write, *moment);
            let mut process = match number {
                0 => self.start(&world, hook).await,
                _ => world.operator(Start { hook, ..Start::default() }),
            };
            // A process that has less to do than the one before never comes to its end.
            tokio::select! {
                why = process.ended() => if why != "crashed" { return Err(why) },
                _ = world.settle(LIMIT) => {}
            }
            process.kill().await;
        }
        let process = world.operator(Start::default());
        world.settle(LIMIT).await?;
        process.stop().await;
        if let Some(difference) = oracle::difference(&reference.snapshot, &oracle::snapshot(&world)) {
            return Err(difference);
        }
        Summary::since(&world, from).excess(&reference.summary, crashes.len()).map_or(Ok(()), Err)
    }
}

fn dies_at(write: usize, moment: Moment) -> Hook {
    Arc::new(move |seen| if seen.write_number == Some(write) { Effect::Crash(moment) } else { Effect::Pass })
}

fn scenarios() -> Vec<Scenario> {
    let fresh = [
        "default",
        "bpf",
        "dual-stack",
        "eks-amazon-vpc",
        "certificate-management",
        "placement-and-registry",
        "user-felix-config",
    ];
    let mut all: Vec<_> = fresh
        .iter()
        .map(|name| Scenario::new(&format!("fresh/{name}"), Beginning::Fresh(cases::named(name))))
        .collect();
    let edits = [
        ("registry", "default", json!({"spec": {"registry": "registry.example.com/"}})),
        ("to-bpf", "default", json!({"spec": {"calicoNetwork": {"linuxDataplane": "BPF"}}})),
        ("from-bpf", "bpf", json!({"spec": {"calicoNetwork": {"linuxDataplane": "Iptables"}}})),
        ("nftables", "default", json!({"spec": {"calicoNetwork": {"linuxDataplane": "Nftables"}}})),
        ("no-overrides", "overrides-node", json!({"spec": {"calicoNodeDaemonSet": null}})),
        (
            "no-metrics",
            "metrics-resources-strategy",
            json!({"spec": {"nodeMetricsPort": null, "typhaMetricsPort": null}}),
        ),
        (
            "pools",
            "default",
            json!({"spec": {"calicoNetwork": {"ipPools": [
            {"name": "wool", "cidr": "192.168.0.0/17"}, {"name": "milk", "cidr": "192.168.128.0/17"}]}}}),
        ),
    ];
    all.extend(edits.into_iter().map(|(name, case, patch)| {
        Scenario::new(&format!("edited/{name}"), Beginning::Edited(cases::named(case), patch))
    }));
    all.push(Scenario::new(
        "damaged/nothing-left",
        Beginning::Damaged(cases::named("default"), |world| damage::delete(world, |_| true)),
    ));
    all.push(Scenario::new(
        "damaged/half-left",
        Beginning::Damaged(cases::named("default"), |world| damage::delete(world, |n| n % 2 == 0)),
    ));
    all.push(Scenario::new("damaged/stripped", Beginning::Damaged(cases::named("default"), damage::strip)));
    all.push(Scenario::new("damaged/namespace", Beginning::Damaged(cases::named("default"), damage::namespace)));
    all
}

/// What happens to a cluster while the operator is away.
mod damage {
    use chimera_faults::api::Key;
    use chimera_faults::oracle::owned;
    use chimera_faults::world::World;
    use serde_json::json;

    pub(super) fn delete(world: &World, which: impl Fn(usize) -> bool) {
        let owned = owned(world);
        owned.iter().enumerate().filter(|(number, _)| which(*number)).for_each(|(_, key)| world.server.delete(key));
    }

    pub(super) fn strip(world: &World) {
        let none = json!({"metadata": {"labels": null, "ownerReferences": null, "finalizers": null}});
        owned(world).iter().for_each(|key| world.server.edit(key, none.clone()));
    }

    pub(super) fn namespace(world: &World) {
        world.server.delete(&Key::new("v1", "Namespace", "", "calico-system"));
    }
}

#[test]
fn a_crash_at_any_write_leads_to_the_same_objects_without_further_deletes() {
    let scenarios = scenarios();
    let mut plans = Vec::new();
    for scenario in &scenarios {
        let writes = scenario.reference().writes;
        println!("{}: {writes} writes", scenario.name);
        for write in 0..writes {
            for moment in Moment::ALL {
                let name = format!("crash/{}/{write}/{moment}", scenario.name);
                plans.push(Plan { name, what: (scenario, vec![(write, moment)]) });
                // A second crash, sooner or later; of some, since it takes twice the time.
                if (write + moment as usize).is_multiple_of(3) {
                    continue;
                }
                let second = (write * 7 + moment as usize * 3) % writes.max(1);
                let name = format!("crash/{}/{write}/{moment}/then/{second}", scenario.name);
                plans.push(Plan { name, what: (scenario, vec![(write, moment), (second, moment)]) });
            }
        }
    }
    assert!(plans.len() >= 2500, "only {} plans", plans.len());
    campaign::run("crashes", &plans, |(scenario, crashes)| virtually(scenario.run(crashes)));
}
