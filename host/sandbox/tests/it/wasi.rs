//! Guests whose standard library imports WASI.

use serde_json::json;

use crate::kit::{modified, set, template};

#[test]
fn wasi_gives_nothing_and_always_the_same() {
    let (after, _) = modified(&set("wasi", ""), "sheep").unwrap();
    let expected = "random 0 [0, 0, 0], time 0, environment 0, folder None";
    assert_eq!(template(&after, "/metadata/annotations/seen"), json!(expected));
}

#[test]
fn a_guest_that_reaches_for_the_network_is_stopped_and_told_of() {
    let error = modified(&set("wasi", ""), "outside").unwrap_err();
    assert_eq!(error.reason, "Trap");
    assert!(error.message.contains("wasi:sockets/instance-network@0.2.3#instance-network"), "{error}");
}
