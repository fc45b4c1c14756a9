//! Several plugins together.

use chimera_core::extensions::Extensions as _;
use serde_json::json;

use crate::kit::{declared, guest, modified, sandbox, template};

#[test]
fn plugins_run_by_phase_then_priority_then_name() {
    let set = sandbox().load(vec![
        declared("wild", "settings: {do: nothing}", Ok(guest("misbehaving"))),
        declared("b", "", Ok(guest("labels"))),
        declared("a", "", Ok(guest("labels"))),
        declared("urgent", "priority: 9", Ok(guest("labels"))),
        declared("product", "priority: -9", Ok(guest("installation"))),
    ]);
    let names: Vec<_> = set.loaded().into_iter().map(|plugin| plugin.name).collect();
    assert_eq!(names, ["product", "urgent", "a", "b", "wild"]);
    assert_eq!(set.variants(), ["Wild", "Feral"]);
}

#[test]
fn each_plugin_sees_what_those_before_it_left() {
    let set = sandbox().load(vec![
        declared("a", "settings: {labels: {one: a}}", Ok(guest("labels"))),
        declared("b", "settings: {labels: {two: b}}", Ok(guest("labels"))),
    ]);
    let (after, _) = modified(&set, "sheep").unwrap();
    assert_eq!(template(&after, "/metadata/labels"), json!({"app": "sheep", "one": "a", "two": "b"}));
}

#[test]
fn two_plugins_that_set_one_field_differently_are_both_named() {
    let set = sandbox().load(vec![
        declared("a", "settings: {labels: {team: a}}", Ok(guest("labels"))),
        declared("b", "settings: {labels: {team: b}}", Ok(guest("labels"))),
    ]);
    let error = modified(&set, "sheep").unwrap_err();
    assert_eq!((error.plugin.as_str(), error.reason.as_str()), ("b", "Conflict"));
    assert!(error.message.contains("plugin a"), "{error}");
    assert_eq!(error.field_path.as_deref(), Some("/spec/template/metadata/labels/team"));
}
