//! What cannot be loaded: it freezes what it may touch, says why, and keeps nobody else from being loaded.

use chimera_core::component::Component;
use chimera_core::extensions::Extensions as _;

use crate::kit::{another_sandbox, component, declared, guest, modified, sandbox};

/// Why these bytes are not loaded.
fn refused(bytes: Vec<u8>) -> String {
    let set = sandbox().load(vec![declared("bad", "", Ok(bytes)), declared("good", "", Ok(guest("labels")))]);
    assert_eq!(set.loaded().len(), 1, "the other plugin is loaded all the same");
    let [bad] = set.not_loaded() else { panic!("{:?}", set.not_loaded()) };

    let error = modified(&set, "sheep").unwrap_err();
    assert_eq!((error.plugin.as_str(), error.reason.as_str()), ("bad", "PluginNotLoaded"));
    assert!(error.message.contains("test bad") && error.message.contains(&bad.message), "{error}");
    assert_eq!(set.loaded()[0].calls, 0, "nothing is called in vain");
    assert_eq!(bad.message.lines().count(), 1, "{}", bad.message);
    bad.message.clone()
}

#[test]
fn what_is_no_component_is_told_apart() {
    for (bytes, expected) in [
        (Vec::new(), "empty"),
        (b"#!/bin/sh".to_vec(), "not WebAssembly"),
        (wat::parse_str("(module)").unwrap(), "core WebAssembly module, not a component"),
        (wat::parse_str("(component)").unwrap(), "exports none of chimera:plugin's interfaces"),
        ([wat::parse_str("(component)").unwrap(), vec![0xff; 9]].concat(), "failed to compile"),
        // A component around something that is no module: what the compiler says of it has several lines.
        ([wat::parse_str("(component)").unwrap(), b"\x01\x08#!/bin/".to_vec()].concat(), "failed to compile"),
    ] {
        let message = refused(bytes);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_truncated_component_is_refused() {
    let whole = guest("labels");
    assert!(refused(whole[..whole.len() / 2].to_vec()).contains("failed to compile"));
}

#[test]
fn every_unknown_import_is_named_in_one_message() {
    let message = refused(
        wat::parse_str(
            r#"(component
                (import "evil:net/socket@1.0.0" (instance (export "open" (func))))
                (import "chimera:plugin/secrets@0.1.0" (instance (export "read" (func (result string)))))
                (import "chimera:plugin/log@0.1.0" (instance))
                (import "wasi:random/random@0.2.0" (instance (export "get-random-u64" (func (result u64)))))
                (import "shout" (func)))"#,
        )
        .unwrap(),
    );
    for import in ["evil:net/socket@1.0.0", "chimera:plugin/secrets@0.1.0", "shout"] {
        assert!(message.contains(import), "{message}");
    }
    assert!(!message.contains("wasi:") && !message.contains("log@"), "{message}");
}

#[test]
fn an_export_that_would_never_be_called_is_refused() {
    let message = refused(
        wat::parse_str(
            r#"(component
                (component $empty (import "f" (func)) (export "modify" (func 0)))
                (core module $m (func (export "f")))
                (core instance $i (instantiate $m))
                (func $f (canon lift (core func $i "f")))
                (instance $one (instantiate $empty (with "f" (func $f))))
                (export "chimera:plugin/modify-everything@0.2.0" (instance $one)))"#,
        )
        .unwrap(),
    );
    assert!(message.contains("chimera:plugin/modify-everything@0.2.0"), "{message}");
}

#[test]
fn an_export_of_the_wrong_type_is_refused() {
    let message = refused(with_modify_any("(core module $m (func (export \"f\")))"));
    let expected = "its export chimera:plugin/modify-any@0.1.0 cannot be used";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn a_guest_that_traps_when_it_starts_is_refused() {
    let message = refused(with_modify_any("(core module $m (func $s unreachable) (start $s) (func (export \"f\")))"));
    assert!(message.contains("unreachable"), "{message}");
}

/// A component that exports `modify-any` with a function that takes and gives nothing.
fn with_modify_any(module: &str) -> Vec<u8> {
    let text = format!(
        r#"(component
            (component $wrap (import "f" (func)) (export "modify" (func 0)))
            {module}
            (core instance $i (instantiate $m))
            (func $f (canon lift (core func $i "f")))
            (instance $one (instantiate $wrap (with "f" (func $f))))
            (export "chimera:plugin/modify-any@0.1.0" (instance $one)))"#
    );
    wat::parse_str(text).unwrap()
}

#[test]
fn a_cosmetic_plugin_that_cannot_be_loaded_is_passed_over_if_its_declaration_says_so() {
    let set = sandbox().load(vec![declared("bad", "failurePolicy: Ignore", Ok(Vec::new()))]);
    assert!(!set.not_loaded()[0].freezes);
    let after: Component<_> = modified(&set, "sheep").unwrap().0;
    assert_eq!(after.objects(), component("sheep").objects());
}

#[test]
fn a_name_that_is_no_label_freezes() {
    for name in ["", "Bad_Name..X", "-a"] {
        let set = sandbox().load(vec![declared(name, "", Ok(guest("labels")))]);
        assert_eq!((set.loaded().len(), set.modifiers()), (0, 1));
        let message = &set.not_loaded()[0].message;
        assert!(message.contains(name) && message.contains("lower-case letters"), "{message}");
    }
}

#[test]
fn imports_of_a_component_that_exports_nothing_are_named() {
    let message = refused(wat::parse_str(r#"(component (import "foo:bar/baz" (instance)))"#).unwrap());
    assert!(message.contains("exports none of") && message.contains("not given: foo:bar/baz"), "{message}");
}

#[test]
fn a_name_that_is_declared_twice_freezes() {
    let one = || declared("labels", "", Ok(guest("labels")));
    let set = sandbox().load(vec![one(), one()]);
    assert_eq!((set.loaded().len(), set.not_loaded().len()), (0, 2));
    assert!(set.not_loaded()[0].message.contains("more than once"));
}

#[test]
fn what_this_build_cannot_do_is_said_and_not_left_out() {
    for (yaml, expected) in [
        ("source: {oci: {reference: registry.example/labels}}", "source.oci"),
        ("source: {oci: {ref: x}}", "source.oci"),
        ("source: {oci: x}", "source.oci"),
        ("source: oci", "source.oci"),
        ("verification: {publicKey: abc}", "verification"),
        ("verification: 1", "verification"),
        ("verification:", "verification"),
    ] {
        let set = sandbox().load(vec![declared("labels", yaml, Ok(guest("labels")))]);
        let expected = format!("{expected} is not supported by this build yet");
        assert!(set.not_loaded()[0].message.contains(&expected), "{:?}", set.not_loaded());
        assert_eq!(set.modifiers(), 1, "what is declared freezes until it is loaded");
    }
}

#[test]
fn bytes_that_are_in_use_are_not_loaded_again() {
    let sandbox = another_sandbox();
    let first = sandbox.load(vec![declared("a", "", Ok(guest("labels")))]);
    let again = sandbox.load(vec![declared("b", "priority: 1", Ok(guest("labels")))]);
    assert_eq!((first.not_loaded(), again.not_loaded()), ([].as_slice(), [].as_slice()));
    assert_eq!(sandbox.programs_in_use(), 1);
    drop((first, again));
    assert_eq!(sandbox.programs_in_use(), 0);
}
