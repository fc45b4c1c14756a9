//! Each limit can be set for a plugin, and holds.

use crate::kit::{modified, set};

fn reason(what: &str, limits: &str) -> String {
    let set = set("misbehaving", &format!("limits: {limits}\nsettings: {{do: {what}}}"));
    modified(&set, "sheep").unwrap_err().reason
}

#[test]
fn less_fuel_ends_a_call_that_would_have_been_fine() {
    let yaml = |fuel: u64| format!("limits: {{fuel: {fuel}}}\nsettings: {{labels: {{a: b}}}}");
    assert!(modified(&set("labels", &yaml(10_000_000)), "sheep").is_ok());
    // Enough to describe itself, but not to work.
    assert_eq!(modified(&set("labels", &yaml(10_000)), "sheep").unwrap_err().reason, "OutOfFuel");
}

#[test]
fn the_deadline_ends_a_call_that_has_fuel_left() {
    assert_eq!(reason("spin", "{fuel: 1000000000000000, deadlineSeconds: 1}"), "Timeout");
}

#[test]
fn a_deadline_that_passed_is_no_answer_to_keep() {
    let yaml = "limits: {fuel: 1000000000000000, deadlineSeconds: 1}\nsettings: {do: spin}";
    let set = set("misbehaving", yaml);
    for _ in 0..2 {
        assert!(modified(&set, "sheep").is_err());
    }
    assert_eq!(set.loaded()[0].calls, 2);
}

#[test]
fn more_memory_lets_a_larger_answer_be_made() {
    assert_eq!(reason("huge-answer", "{memory: 16Mi}"), "OutOfMemory");
    // Past all limits it is looked at, and it is no JSON.
    assert_eq!(reason("huge-answer", "{memory: 128Mi, response: 64Mi}"), "InvalidAnswer");
}
