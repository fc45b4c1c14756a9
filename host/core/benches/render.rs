//! How long validating and rendering take, in the process itself: every golden case, each as a converged cluster has it.
//!
//! `cargo xtask bench render` runs it. It prints figures and never fails by them.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a bench is a test"
)]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use chimera_core::component::{Component, Finished};
use chimera_core::extend::extend;
use chimera_core::extensions::{NoExtensions, Point};
use chimera_core::installation::policies::policies;
use chimera_core::installation::{InstallationConfig, InstallationInputs, validate};
use chimera_core::object::Object;
use chimera_core::policies::lay_on;
use chimera_core::render::installation::components;
use chimera_core::testing::Fixed;
use serde_json::{Value, json};

/// Runs of a case that count, after as many that do not for a tenth of it.
const RUNS: usize = 200;
/// Cases shown; the slowest come first.
const SHOWN: usize = 5;

struct Figures {
    case: String,
    objects: usize,
    validate: Duration,
    all: Duration,
    worst: Duration,
}

fn main() {
    let mut figures: Vec<_> = files().iter().map(|file| measure(file)).collect();
    figures.sort_by_key(|figures| std::cmp::Reverse(figures.all));
    println!("{:<40} {:>8} {:>12} {:>12} {:>12}", "case", "objects", "validate", "all, median", "all, p99");
    for Figures { case, objects, validate, all, worst } in figures.iter().take(SHOWN) {
        println!("{case:<40} {objects:>8} {:>12} {:>12} {:>12}", text(*validate), text(*all), text(*worst));
    }
    println!("median of the slowest of {} cases: {}", figures.len(), text(figures[0].all));
}

fn text(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1000.0)
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/cases");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn measure(file: &Path) -> Figures {
    let case = file.file_stem().unwrap().to_string_lossy().into_owned();
    let (fixed, inputs) = (Fixed::default(), converged(file, &case));
    let (mut validated, mut all, mut objects) = (Vec::new(), Vec::new(), 0);
    for _ in 0..RUNS + RUNS / 10 {
        let started = Instant::now();
        let config = validate(black_box(&inputs), fixed.env()).unwrap();
        validated.push(started.elapsed());
        let rendered = black_box(render(&config));
        all.push(started.elapsed());
        objects = rendered.iter().map(|component| component.objects().len()).sum();
    }
    let sorted = |mut times: Vec<Duration>| {
        times.drain(..RUNS / 10);
        times.sort();
        times
    };
    let (validated, all) = (sorted(validated), sorted(all));
    Figures { case, objects, validate: validated[RUNS / 2], all: all[RUNS / 2], worst: all[RUNS * 99 / 100] }
}

fn render(config: &InstallationConfig) -> Vec<Component<Finished>> {
    let context = policies(config);
    let step = |component| {
        let (component, _) = extend(component, Point::Installation(config), &NoExtensions).unwrap();
        lay_on(component, &context)
    };
    components(config).unwrap().into_iter().map(step).collect()
}

/// The case once its key pairs exist: making them is done once in the life of a cluster.
fn converged(file: &Path, case: &str) -> InstallationInputs {
    let documents = serde_saphyr::from_multiple::<Value>(&std::fs::read_to_string(file).unwrap()).unwrap();
    let nodes = (0..3).map(|number| {
        let labels = json!({"kubernetes.io/os": "linux"});
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": format!("node-{number}"), "labels": labels}})
    });
    let documents = documents.into_iter().filter(Value::is_object).chain(nodes);
    let mut objects: Vec<_> = documents.map(|document| Object::from_value(document).unwrap()).collect();
    let read = |objects: &[Object]| {
        InstallationInputs::from_objects(objects.to_vec()).unwrap_or_else(|errors| panic!("{case}: {errors:?}"))
    };
    let config = validate(&read(&objects), Fixed::default().env()).unwrap_or_else(|error| panic!("{case}: {error}"));
    let rendered = render(&config);
    let made = rendered.iter().flat_map(Component::objects).filter(|object| object.key().kind == "Secret");
    let made: Vec<_> =
        made.filter(|object| !objects.iter().any(|there| there.key() == object.key())).cloned().collect();
    objects.extend(made);
    read(&objects)
}
