//! Somebody sets a field of the Installation to something bad, and takes it back.

use std::sync::LazyLock;
use std::time::Duration;

use chimera_faults::api::{Call, Store, Verb};
use chimera_faults::campaign::{self, Plan};
use chimera_faults::cases;
use chimera_faults::fields::{self, Field, Step};
use chimera_faults::operator::Start;
use chimera_faults::oracle;
use chimera_faults::world::{World, installation, status, virtually};
use serde_json::{Value, json};

const RECOVERY: Duration = Duration::from_secs(60);
/// Bad states to try.
const STATES: usize = 200;

static INSTALLED: LazyLock<Store> = LazyLock::new(|| World::installed(cases::named("ippool-vxlan-cross-subnet")));

fn put_spec(world: &World, spec: &Value) {
    let mut object = world.server.get(&installation()).expect("the Installation is there");
    object["spec"] = spec.clone();
    let mut call = Call::on(Verb::Update, &installation(), "kubectl-edit");
    call.body = object;
    world.server.answer(&call, 0).expect("the Installation can be written");
}

async fn taken_back(field: &Field, bad: &Value) -> Result<(), String> {
    let world = World::resume(&INSTALLED);
    let before = oracle::snapshot(&world);
    let good = world.server.get(&installation()).expect("the Installation is there")["spec"].clone();
    let process = world.operator(Start::default());
    tokio::time::sleep(Duration::from_secs(2)).await;
    let mut spec = good.clone();
    fields::set(&mut spec, field, bad.clone());
    let from = world.version();
    put_spec(&world, &spec);
    tokio::time::sleep(Duration::from_secs(90)).await;
    if refused(&world) {
        nothing_written(&world, from)?;
    }
    put_spec(&world, &good);
    let took = world.settle(RECOVERY + Duration::from_secs(6)).await?;
    if took > RECOVERY {
        return Err(format!("it took {took:?}"));
    }
    if !process.runs() {
        return Err(process.stop().await);
    }
    process.stop().await;
    oracle::difference(&before, &oracle::snapshot(&world)).map_or(Ok(()), Err)
}

/// Whether the operator says that the Installation cannot be served.
fn refused(world: &World) -> bool {
    let status = world.server.get(&status("calico"));
    let conditions = status.as_ref().and_then(|status| status.pointer("/status/conditions")?.as_array());
    let refusing = |reason: &Value| {
        ["InvalidConfigurationError", "ResourceReadError", "InvalidConfiguration"]
            .contains(&reason.as_str().unwrap_or_default())
    };
    conditions.into_iter().flatten().any(|condition| {
        condition["type"] == "Degraded" && condition["status"] == "True" && refusing(&condition["reason"])
    })
}

fn nothing_written(world: &World, from: u64) -> Result<(), String> {
    let told = ["TigeraStatus", "Installation", "Event", "IPPool"];
    let store = world.server.store();
    let ours = store.log().iter().filter(|change| change.version > from && !World::is_foreign(&change.manager));
    let written: Vec<_> = ours
        .filter(|change| !told.contains(&change.key.kind.kind.as_str()))
        .map(|change| change.key.to_string())
        .collect();
    if written.is_empty() { Ok(()) } else { Err(format!("the input is refused, but written was {written:?}")) }
}

#[test]
fn every_bad_state_of_the_installation_is_got_over_once_it_is_taken_back() {
    let whole = [
        ("spec is a word", vec![], json!("wool")),
        ("no network", vec![Step::Name("calicoNetwork".into())], json!("wool")),
        ("pools of words", vec![Step::Name("calicoNetwork".into()), Step::Name("ipPools".into())], json!(["wool"])),
        ("no cni type", vec![Step::Name("cni".into())], json!({"type": "Wool"})),
    ];
    let whole =
        whole.into_iter().map(|(name, path, bad)| (name.to_owned(), Field { path, schema: fields::schema() }, bad));
    // Fields of pods repeat themselves: those that are the Installation's own come all, of the others some.
    let own = |field: &&Field| field.path.len() <= 4;
    let shallow: Vec<_> = fields::all().iter().filter(own).collect();
    let deep: Vec<_> = fields::all().iter().filter(|field| !own(field)).step_by(5).collect();
    let mut states: Vec<_> = whole.collect();
    for (number, field) in shallow.into_iter().chain(deep).enumerate() {
        let corpus = fields::corpus(field.schema);
        for share in 0..2 {
            let at = (number * 13 + share * corpus.len() / 2) % corpus.len();
            states.push((format!("{}/{at}", field.name()), field.clone(), corpus[at].clone()));
        }
    }
    // Evenly from all of them.
    let count = states.len();
    let picked = |at: &usize| *at < 4 || at * STATES / count != (at - 1) * STATES / count;
    let states: Vec<_> = states.into_iter().enumerate().filter(|(at, _)| picked(at)).map(|(_, state)| state).collect();
    assert!(states.len() >= STATES, "only {} states", states.len());
    let plans: Vec<_> =
        states.into_iter().map(|(name, field, bad)| Plan { name: format!("bad/{name}"), what: (field, bad) }).collect();
    campaign::run("bad states", &plans, |(field, bad)| virtually(taken_back(field, bad)));
}
