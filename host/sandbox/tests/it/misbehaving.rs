//! Guests that go wrong: each freezes its component, says how, and leaves the next call fine.

use chimera_core::extensions::{ErrorKind, ExtensionError};
use serde_json::json;

use crate::kit::{component, daemon_set, modified, set, template};

/// What comes of a guest that does this.
fn done(what: &str) -> ExtensionError {
    let set = set("misbehaving", &format!("settings: {{do: {what}}}"));
    let error = modified(&set, "sheep").unwrap_err();
    assert_eq!((error.plugin.as_str(), error.kind), ("misbehaving", ErrorKind::Internal), "{error}");
    assert!(error.digest.starts_with("sha256:"), "{error}");
    assert!(!error.message.contains("backtrace") && error.message.lines().count() == 1, "{error}");
    // The same set still answers, and from memory: what fails for certain is not tried again and again.
    assert_eq!(modified(&set, "sheep").unwrap_err(), error);
    assert_eq!(set.loaded()[0].calls, 1);
    error
}

#[test]
fn a_guest_that_panics_is_reported_with_its_last_words() {
    let error = done("panic");
    assert_eq!(error.reason, "Trap");
    assert!(error.message.contains("the sheep are out"), "{error}");
}

#[test]
fn a_guest_that_loops_runs_out_of_fuel() {
    assert_eq!(done("spin").reason, "OutOfFuel");
}

#[test]
fn a_guest_that_recurses_without_end_runs_out_of_stack() {
    let error = done("recurse");
    assert_eq!(error.reason, "Trap");
    assert!(error.message.contains("stack"), "{error}");
}

#[test]
fn a_guest_that_eats_memory_is_stopped_at_its_limit() {
    let error = done("eat-memory");
    assert_eq!(error.reason, "OutOfMemory");
    assert!(error.message.contains("64 MiB") && error.message.contains("limits.memory"), "{error}");
}

#[test]
fn an_answer_that_makes_no_sense_is_refused() {
    for (what, expected) in [
        ("garbage", "ConfigMap meadow/new"),
        ("no-object", "no object of Kubernetes"),
        ("wrong-key", "another object, ConfigMap meadow/other"),
        ("twice", "two operations for ConfigMap meadow/new"),
    ] {
        let error = done(what);
        assert_eq!(error.reason, "InvalidAnswer", "{what}");
        assert!(error.message.contains(expected), "{what}: {error}");
    }
}

#[test]
fn an_answer_that_is_too_large_never_reaches_the_host() {
    let error = done("huge-answer");
    assert_eq!(error.reason, "ResponseTooLarge");
    assert!(error.message.contains("16 MiB") && error.message.contains("limits.response"), "{error}");
}

#[test]
fn an_answer_of_too_many_operations_never_reaches_the_host() {
    let reason = done("many-answers").reason;
    assert!(["ResponseTooLarge", "OutOfMemory"].contains(&reason.as_str()), "{reason}");
}

#[test]
fn an_error_of_the_guest_itself_keeps_its_words() {
    let set = set("misbehaving", "settings: {do: refuse}");
    let error = modified(&set, "sheep").unwrap_err();
    let digest = error.digest.clone();
    let expected = ExtensionError {
        plugin: "misbehaving".into(),
        digest,
        kind: ErrorKind::InvalidConfig,
        reason: "NoGrass".into(),
        message: "the meadow has no grass; sow some".into(),
        field_path: Some("spec.meadow".into()),
        retry_after_ms: Some(5000),
    };
    assert_eq!(error, expected);
}

#[test]
fn power_over_the_node_takes_both_yeses() {
    let without = set("misbehaving", "settings: {do: host-network}");
    let error = modified(&without, "sheep").unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (ErrorKind::Denied, "GrantMissing"));
    assert_eq!(error.field_path.as_deref(), Some("spec.template.spec.hostNetwork"));
    assert!(error.message.contains(&daemon_set().key().to_string()), "{error}");

    let with = set("misbehaving", "settings: {do: host-network}\ngrants: [host-namespaces]");
    assert_eq!(template(&modified(&with, "sheep").unwrap().0, "/spec/hostNetwork"), json!(true));
}

#[test]
fn a_guest_that_logs_without_end_does_no_harm() {
    let (after, _) = modified(&set("misbehaving", "settings: {do: log}"), "sheep").unwrap();
    assert_eq!(after.objects(), component("sheep").objects());
}

#[test]
fn nothing_survives_a_call() {
    let set = set("misbehaving", "settings: {do: remember}");
    for name in ["sheep", "goat", "dog"] {
        let (after, _) = modified(&set, name).unwrap();
        assert!(after.objects().iter().any(|object| object.key().name == "new"), "{name}");
    }
    assert_eq!(set.loaded()[0].calls, 3);
}

#[test]
fn a_cosmetic_plugin_that_fails_is_passed_over_if_its_declaration_says_so() {
    let set = set("misbehaving", "failurePolicy: Ignore\nsettings: {do: panic}");
    let (after, _) = modified(&set, "sheep").unwrap();
    assert_eq!(after.objects(), component("sheep").objects());
}
