//! Values that nobody thought of, in every field of an Installation.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use chimera_core::certificates::Secrets;
use chimera_core::installation::inputs::InstallationInputs;
use chimera_core::installation::{self};
use chimera_core::render;
use chimera_core::testing::Fixed;
use chimera_crds::installation::Installation;
use chimera_crds::parse;
use chimera_faults::cases;
use chimera_faults::entries;
use chimera_faults::fields::{self, Field};
use chimera_faults::world::World;
use k8s_openapi::api::core::v1::Secret;
use serde_json::{Value, json};

/// Inputs of one run.
const INPUTS: usize = 100_000;
/// Environment variable for more, with other seeds: how many, and the first seed.
const MORE: &str = "CHIMERA_FUZZ";
/// Of so many inputs one goes all the way, through certificates and rendering, which take the longest.
const WHOLE: usize = 100;

/// Specs that inputs start from.
static SPECS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let installation =
        |case: &cases::Case| case.objects.iter().find(|object| object["kind"] == "Installation").cloned();
    let spec = |object: Value| object.get("spec").cloned().unwrap_or_else(|| json!({}));
    cases::all().iter().filter_map(installation).map(spec).collect()
});

/// Key pairs that are there already, so that none need be issued.
static SECRETS: LazyLock<Secrets> = LazyLock::new(|| {
    let store = World::installed(cases::named("default"));
    let secrets =
        store.objects().iter().filter(|(key, _)| key.kind.kind == "Secret" && key.namespace == "tigera-operator");
    let typed = |value: &Value| serde_json::from_value::<Secret>(value.clone()).expect("a Secret is one").into();
    secrets.map(|(key, value)| (key.name.clone(), typed(value))).collect()
});

/// Numbers that follow from a seed (SplitMix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % limit.max(1) as u64).unwrap_or_default()
    }
}

/// The input of a seed: first each value of each field once, then up to three fields at a time.
fn spec(seed: u64) -> Value {
    static EACH: LazyLock<Vec<(&'static Field, Value)>> = LazyLock::new(|| {
        let values = |field: &'static Field| fields::corpus(field.schema).into_iter().map(move |value| (field, value));
        fields::all().iter().flat_map(values).collect()
    });
    let mut dice = Dice(seed);
    let mut spec = SPECS[dice.below(SPECS.len())].clone();
    let number = usize::try_from(seed).unwrap_or(usize::MAX);
    if let Some((field, value)) = EACH.get(number) {
        fields::set(&mut spec, field, value.clone());
        return spec;
    }
    for _ in 0..=dice.below(3) {
        let (field, value) = &EACH[dice.below(EACH.len())];
        fields::set(&mut spec, field, value.clone());
    }
    spec
}

#[derive(Default)]
struct Tally {
    refused: AtomicUsize,
    unread: AtomicUsize,
    invalid: AtomicUsize,
    valid: AtomicUsize,
    whole: AtomicUsize,
}

/// What is wrong with how an input is dealt with.
fn check(seed: u64, tally: &Tally) -> Result<(), String> {
    let count = |counter: &AtomicUsize| counter.fetch_add(1, Ordering::Relaxed);
    let mut spec = spec(seed);
    entries::schema(&spec);
    let raw = json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation", "metadata": {"name": "default"}, "spec": spec});
    fields::prune(fields::schema(), &mut spec);
    let refused = fields::violation(fields::schema(), &spec, "spec");
    if refused.is_some() {
        count(&tally.refused);
    }
    let installation = match parse::resource::<Installation>(raw.clone()) {
        Ok(installation) => installation,
        Err(error) => {
            count(&tally.unread);
            let pruned = json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation", "metadata": {"name": "default"}, "spec": spec});
            // A schema cannot bound what may be a number or text.
            let unbounded = error.message.contains("32-bit integer");
            return match (refused, parse::resource::<Installation>(pruned)) {
                (None, Err(_)) if !unbounded => Err(format!("the schema takes it, but it cannot be read: {error}")),
                _ if error.message.is_empty() || error.path.is_empty() => Err("a message is empty".into()),
                _ => Ok(()),
            };
        }
    };
    let mut inputs = InstallationInputs::new(installation);
    inputs.secrets = SECRETS.clone();
    inputs.cluster_domain = "cluster.local".into();
    match installation::ip_pools(&inputs) {
        Ok(_) => count(&tally.valid),
        Err(rejected) => {
            let silent = rejected.0.iter().any(|message| message.to_string().trim().is_empty());
            if rejected.0.is_empty() || silent {
                return Err("it is refused without a word".into());
            }
            count(&tally.invalid)
        }
    };
    if seed.is_multiple_of(WHOLE as u64) {
        count(&tally.whole);
        whole(&inputs)?;
    }
    Ok(())
}

fn whole(inputs: &InstallationInputs) -> Result<(), String> {
    let fixed = Fixed::default();
    let Ok(config) = installation::validate(inputs, fixed.env()) else { return Ok(()) };
    render::installation::components(&config)
        .map(drop)
        .map_err(|error| format!("it is valid, but cannot be rendered: {error}"))
}

#[test]
fn no_value_of_any_field_makes_reading_or_validation_panic_or_fall_silent() {
    let mut numbers = std::env::var(MORE).unwrap_or_default();
    if !numbers.contains(',') {
        numbers = format!("{INPUTS},0");
    }
    let (inputs, first) = numbers.split_once(',').expect("HOW_MANY,FIRST_SEED");
    let (inputs, first): (u64, u64) = (inputs.parse().expect("a number"), first.parse().expect("a number"));
    let (tally, failures, started) = (Tally::default(), std::sync::Mutex::new(Vec::new()), Instant::now());
    let threads = std::thread::available_parallelism().map_or(2, usize::from) as u64;
    std::panic::set_hook(Box::new(|_| {}));
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (tally, failures) = (&tally, &failures);
            scope.spawn(move || {
                for seed in (first..first + inputs).filter(|seed| seed % threads == thread) {
                    let outcome = catch_unwind(AssertUnwindSafe(|| check(seed, tally)));
                    if let Err(why) = outcome
                        .unwrap_or_else(|panic| Err(format!("it panicked: {:?}", panic.downcast_ref::<String>())))
                    {
                        failures.lock().expect("nobody panics with it").push((seed, why));
                    }
                }
            });
        }
    });
    let _ = std::panic::take_hook();
    let mut failures = failures.into_inner().expect("nobody panics with it");
    failures.sort();
    let of = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
    println!(
        "fuzz: {inputs} inputs in {:.1} s: {} refused by the schema, {} unreadable, {} invalid, {} valid; {} rendered",
        started.elapsed().as_secs_f64(),
        of(&tally.refused),
        of(&tally.unread),
        of(&tally.invalid),
        of(&tally.valid),
        of(&tally.whole),
    );
    let told = |(seed, why): &(u64, String)| {
        format!("seed {seed}: {why}\n  {}\n  alone: {MORE}=1,{seed}", short(&spec(*seed)))
    };
    let shown: Vec<_> = failures.iter().take(10).map(told).collect();
    assert!(failures.is_empty(), "{} inputs are dealt with badly\n{}", failures.len(), shown.join("\n"));
}

/// Bytes of the golden cases, with some of them changed by chance.
fn mutated(text: &str, dice: &mut Dice) -> String {
    const PIECES: [&str; 12] =
        ["", " ", "\n", ":", "-1", "99999999999999999999", "{}", "[]", "é", "null", "\"", "&a *a"];
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=dice.below(4) {
        let (from, length) = (dice.below(bytes.len()), dice.below(12));
        let to = (from + length).min(bytes.len());
        let piece = PIECES[dice.below(PIECES.len())];
        bytes.splice(from..to, piece.bytes());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn files_that_were_damaged_are_read_or_refused_in_words() {
    let cases: Vec<_> = cases::all().iter().map(|case| text(&case.objects)).collect();
    let mut verdicts = [0_usize; 3];
    for seed in 0..4_000 {
        let mut dice = Dice(seed);
        let case = &cases[dice.below(cases.len())];
        verdicts[entries::document(&mutated(case, &mut dice)) as usize] += 1;
    }
    println!("damaged files: [unread, refused, valid] = {verdicts:?}");
    assert!(verdicts.iter().all(|count| *count > 0), "{verdicts:?}");
}

fn text(objects: &[Value]) -> String {
    objects.iter().map(|object| format!("---\n{}", serde_saphyr::to_string(object).expect("YAML"))).collect()
}

#[test]
fn any_spec_goes_through_the_entry_of_longer_fuzzing() {
    let verdicts: Vec<_> = (0..300).map(|seed| entries::installation(spec(seed * 331))).collect();
    for wanted in [entries::Verdict::Unread, entries::Verdict::Refused, entries::Verdict::Valid] {
        assert!(verdicts.contains(&wanted), "none is {wanted:?}");
    }
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(600).collect()
}
