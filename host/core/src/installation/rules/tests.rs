//! Each rule by its example, and the documentation by the list.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::*;
use crate::component::Readiness;
use crate::images::Build;
use crate::installation::{InstallationInputs, validate};
use crate::message::Message;
use crate::object::Object;
use crate::testing::Fixed;
use crate::{render, windows};

/// Base64 of any certificate.
fn certificate() -> String {
    use base64::Engine as _;
    let key = rcgen::KeyPair::generate().unwrap();
    let pem = rcgen::CertificateParams::new(Vec::new()).unwrap().self_signed(&key).unwrap().pem();
    base64::engine::general_purpose::STANDARD.encode(pem)
}

fn objects(rule: &Rule) -> Vec<Object> {
    let spec = rule.spec.replace("CERTIFICATE", &certificate());
    let spec: Value = serde_saphyr::from_str(&spec).unwrap_or_else(|error| panic!("{}: {error}", rule.spec));
    let installation = json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation",
        "metadata": {"name": "default"}, "spec": spec});
    let state = rule.state.replace("BUILD", Build::current().version);
    let state = serde_saphyr::from_multiple::<Value>(&state).unwrap_or_else(|error| panic!("{state}: {error}"));
    let state = state.into_iter().filter(Value::is_object);
    std::iter::once(installation).chain(state).map(|object| Object::from_value(object).unwrap()).collect()
}

/// Everything that is said of an example, on the way that a reconcile takes.
fn said(rule: &Rule) -> Vec<Message> {
    let inputs = match InstallationInputs::from_objects(objects(rule)) {
        Ok(inputs) => inputs,
        Err(messages) => return messages,
    };
    let config = match validate(&inputs, Fixed::default().env()) {
        Ok(config) => config,
        Err(rejected) => return rejected.0,
    };
    let mut said = config.warnings.clone();
    said.extend(render::installation::components(&config).err().into_iter().flat_map(render::Error::messages));
    if windows::is_wanted(&config.spec) {
        match windows::validate(&inputs, config) {
            Ok(config) => {
                let rendered = render::windows::component(&config, Readiness::Ready);
                said.extend(rendered.err().into_iter().flat_map(render::Error::messages));
            }
            Err(messages) => said.extend(messages),
        }
    }
    said
}

/// Without positions in lists.
fn without_positions(path: &str) -> String {
    let mut parts = path.split('[');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| format!("{text}[]{}", part.split_once(']').map_or("", |(_, rest)| rest)))
}

#[test]
fn each_rule_is_broken_by_its_example_and_by_nothing_else() {
    let mut wrong = Vec::new();
    for rule in all() {
        let said = said(&rule);
        let texts: Vec<_> = said.iter().map(ToString::to_string).collect();
        let [message] = said.as_slice() else {
            wrong.push(format!("{} ({}): not one thing is said: {texts:#?}", rule.field, rule.spec));
            continue;
        };
        let field = without_positions(message.field_path().unwrap_or_default());
        let text = message.to_string();
        let warns = message.code().severity == crate::codes::Severity::Warning;
        if field != rule.field || warns != rule.warns || !text.starts_with(rule.object) || !text.contains(rule.detail) {
            wrong.push(format!("{} ({}): wanted {:?}, said {text:?}", rule.field, rule.spec, rule.detail));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_field_that_validation_names_has_a_rule() {
    let sources = [
        include_str!("../validate.rs"),
        include_str!("../validate/cni.rs"),
        include_str!("../validate/fields.rs"),
        include_str!("../validate/network.rs"),
        include_str!("../validate/references.rs"),
        include_str!("../validate/windows.rs"),
    ];
    let literals = sources.iter().flat_map(|source| source.split('"').skip(1).step_by(2));
    let named = literals.filter(|literal| literal.starts_with("spec.") && !literal.contains([' ', ';']));
    let named: BTreeSet<_> = named.map(without_positions).collect();
    assert!(named.len() > 30, "{named:?}");
    let listed: BTreeSet<_> = all().map(|rule| rule.field).collect();
    let listed = |field: &String| {
        listed.iter().any(|listed| listed.starts_with(field.as_str()) || field.starts_with("spec.calicoNetwork.sysctl"))
    };
    let missing: Vec<_> = named.iter().filter(|field| !listed(field)).collect();
    assert!(missing.is_empty(), "no rule is listed for {missing:?}");
}

const HEAD: &str = "# What is refused

Made from `host/core/src/installation/rules`; `CHIMERA_BLESS=1 cargo test -p chimera-core rules` writes it again.

A rule of the schema is told by the API server when the resource is applied, and by `chimera render`, which knows the structure
(unknown and missing fields, types, enums, bounds, patterns, names) from the same schemas. Rules in CEL it does not evaluate:
those that are listed here the operator's own validation holds as well, those of Calico's resources only the API server. Any
other is told by the TigeraStatus of the component that cannot go on, with the reason below; what was applied before stays as it
is. An Installation of another name than `default` and `overlay` is refused by the schema. What is said of `default` may stand in
`overlay`, which is laid over it.
";

fn page() -> String {
    let mut page = HEAD.to_owned();
    for (title, warns) in [("Refused", false), ("Served with a warning", true)] {
        let _ = write!(page, "\n## {title}\n\n| Object | Field | What | Reason | Told by |\n|---|---|---|---|---|\n");
        for rule in all().filter(|rule| rule.warns == warns) {
            let reason =
                said(&rule).first().map_or_else(String::new, |m| format!("{} ({})", m.code().reason, m.code().id));
            let object = rule.object.trim_end_matches('-');
            let field = if rule.field.is_empty() { String::new() } else { format!("`{}`", rule.field) };
            let by = match rule.by {
                By::Schema => "schema",
                By::Operator => "operator",
            };
            let _ = writeln!(page, "| {object} | {field} | {} | {reason} | {by} |", rule.refused);
        }
    }
    page
}

#[test]
fn the_documentation_lists_every_rule() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/validation.md");
    if std::env::var_os("CHIMERA_BLESS").is_some() {
        std::fs::write(&file, page()).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(committed, page(), "run this test with CHIMERA_BLESS=1 and commit docs/validation.md");
}
