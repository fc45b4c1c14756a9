//! Where fuzzing enters: each takes any input and panics if the operator deals badly with it. The tests run them on
//! inputs of their own making; the targets in `fuzz/` run them for as long as somebody likes.

use std::sync::LazyLock;

use chimera_core::installation::inputs::InstallationInputs;
use chimera_core::installation::{self, InstallationConfig};
use chimera_core::merge::{Plan, plan};
use chimera_core::message::Message;
use chimera_core::object::Object;
use chimera_core::render;
use chimera_core::testing::Fixed;
use chimera_crds::installation::Installation;
use chimera_crds::parse;
use chimera_crds::schema::Schema;
use serde_json::{Value, json};

use crate::fields;

/// An Installation of this spec.
pub fn installation_of(spec: Value) -> Value {
    json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation", "metadata": {"name": "default"}, "spec": spec})
}

/// What came of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It cannot be read as its type.
    Unread,
    /// It is refused, in words.
    Refused,
    /// It is valid.
    Valid,
}

static SCHEMA: LazyLock<Schema> =
    LazyLock::new(|| Schema::of(&installation_of(json!({}))).expect("there is a schema of Installation"));

/// What the API server would keep of a spec, and whether it would take it: by the checker that people are told by, which
/// must agree with the one that the tests have of their own.
///
/// # Panics
/// If they do not agree, or something is said without a word.
pub fn schema(spec: &Value) -> (Value, bool) {
    let mut kept = spec.clone();
    fields::prune(fields::schema(), &mut kept);
    if kept.is_null() {
        kept = json!({});
    }
    let raw = installation_of(kept);
    let problems = SCHEMA.problems(&raw);
    assert!(problems.iter().all(|problem| !problem.path.is_empty() && !problem.message.is_empty()), "{problems:?}");
    let violation = fields::violation(fields::schema(), raw.get("spec").unwrap_or(&Value::Null), "spec");
    match &violation {
        // Elements that are there twice only one of the two looks for.
        None => assert!(problems.iter().all(|problem| problem.message.starts_with("duplicate")), "{problems:?}"),
        // Whether a text has the right form, and what a default fills in, only the other can tell.
        Some(violation) if violation.ends_with("form") || violation.ends_with("missing") => {}
        Some(violation) => assert!(!problems.is_empty(), "it says nothing of {violation}"),
    }
    (raw, problems.is_empty())
}

/// Any spec of an Installation, through schema, reading, validation and rendering.
///
/// # Panics
/// If something is refused without a word, or what is valid cannot be rendered.
pub fn installation(spec: Value) -> Verdict {
    let (kept, taken) = schema(&spec);
    let read = match parse::resource::<Installation>(installation_of(spec)) {
        Ok(installation) => installation,
        Err(error) => {
            assert!(!error.message.is_empty() && !error.path.is_empty(), "{error:?}");
            if taken && let Err(error) = parse::resource::<Installation>(kept) {
                // A schema cannot bound what may be a number or text.
                assert!(
                    error.message.contains("32-bit integer"),
                    "the schema takes it, but it cannot be read: {error}"
                );
            }
            return Verdict::Unread;
        }
    };
    let mut inputs = InstallationInputs::new(read);
    inputs.cluster_domain = "cluster.local".into();
    validated(&inputs)
}

/// Any text as a file for `chimera render`.
///
/// # Panics
/// As [`installation`].
pub fn document(text: &str) -> Verdict {
    let Ok(documents) = serde_saphyr::from_multiple::<Value>(text) else { return Verdict::Unread };
    let objects: Vec<_> = documents.into_iter().filter_map(|value| Object::from_value(value).ok()).collect();
    match InstallationInputs::from_objects(objects) {
        Ok(inputs) => validated(&inputs),
        Err(messages) => {
            told(&messages);
            Verdict::Refused
        }
    }
}

fn validated(inputs: &InstallationInputs) -> Verdict {
    match installation::validate(inputs, Fixed::default().env()) {
        Ok(config) => {
            rendered(&config);
            Verdict::Valid
        }
        Err(rejected) => {
            told(&rejected.0);
            Verdict::Refused
        }
    }
}

fn rendered(config: &InstallationConfig) {
    // Overrides may name a container that is not there, which only rendering can tell.
    if let Err(error) = render::installation::components(config) {
        told(&error.messages());
    }
}

fn told(messages: &[Message]) {
    assert!(!messages.is_empty(), "it is refused without a word");
    assert!(messages.iter().all(|message| !message.to_string().trim().is_empty()), "{messages:?}");
}

/// Any live object under any desired one: what is written must not be written again.
///
/// # Panics
/// If a second look finds something to write.
pub fn merge(live: &Value, desired: Value, shared: bool) {
    let Ok(desired) = Object::from_value(desired) else { return };
    if let Plan::Update(update) = plan(live, &desired, shared) {
        assert!(!update.changes.is_empty());
        let mut stored = update.object;
        if let (Some(kept), Some(metadata)) =
            (live.pointer("/metadata/managedFields"), stored.get_mut("metadata").and_then(Value::as_object_mut))
        {
            metadata.insert("managedFields".into(), kept.clone());
        }
        let again = plan(&stored, &desired, shared);
        assert_eq!(again, Plan::Unchanged, "written again\nlive {live}\ndesired {:?}", desired.fields());
    }
}
