//! Does the wrong thing that its settings name, as in `settings: {do: spin}`.

#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "this guest is here to go wrong")]

use std::hint::black_box;

use chimera_plugin_sdk::bindings::any::{self, exports::chimera::plugin::modify_any};
use chimera_plugin_sdk::bindings::describe::{self, exports::chimera::plugin::describe as description};
use chimera_plugin_sdk::bindings::imports::chimera::plugin::log::{Level, write};
use chimera_plugin_sdk::bindings::imports::chimera::plugin::types::{
    ErrorKind, Object, ObjectKey, Operation, PluginError,
};
use chimera_plugin_sdk::exports::Answer;
use serde_json::Value;

struct Misbehaving;

impl description::Guest for Misbehaving {
    fn describe() -> description::Description {
        description::Description {
            name: "misbehaving".into(),
            version: "0.1.0".into(),
            phase: description::Phase::Late,
            priority: 7,
            variants: vec![description::ProvidedVariant { name: "Wild".into(), aliases: vec!["Feral".into()] }],
            capabilities: vec!["host-namespaces".into()],
            settings_schema: None,
        }
    }
}

impl modify_any::Guest for Misbehaving {
    fn modify(config: modify_any::Config, objects: Vec<Object>) -> Answer {
        let settings: Value = serde_json::from_str(&config.settings).unwrap();
        let workload = objects.into_iter().find(|object| object.key.kind == "DaemonSet");
        match settings["do"].as_str().unwrap_or_default() {
            "nothing" => Ok(Vec::new()),
            "panic" => {
                std::panic::set_hook(Box::new(|panic| write(Level::Error, &panic.to_string())));
                panic!("the sheep are out")
            }
            "spin" => loop {
                black_box(());
            },
            "recurse" => Ok(vec![Operation::Add(new_object(recurse(0).to_string()))]),
            "eat-memory" => eat_memory(),
            "garbage" => Ok(vec![Operation::Add(new_object("{".into()))]),
            "no-object" => Ok(vec![Operation::Add(new_object("[1]".into()))]),
            "wrong-key" => Ok(vec![Operation::Add(new_object(config_map("other")))]),
            "twice" => {
                Ok(vec![Operation::Add(new_object(config_map("new"))), Operation::Add(new_object(config_map("new")))])
            }
            "huge-answer" => Ok(vec![Operation::Add(new_object("x".repeat(20 << 20)))]),
            "many-answers" => Ok((0..2_000_000).map(|_| Operation::Add(new_object(String::new()))).collect()),
            "host-network" => Ok(workload.map(host_network).into_iter().collect()),
            "refuse" => Err(refusal()),
            "log" => {
                (0..1000).for_each(|line| write(Level::Info, &format!("line {line}: {}", "x".repeat(10_000))));
                Ok(Vec::new())
            }
            "remember" => Ok(vec![Operation::Add(new_object(config_map(&remember())))]),
            other => panic!("nobody knows how to do {other:?}"),
        }
    }
}

fn recurse(depth: u64) -> u64 {
    if black_box(depth) == u64::MAX { depth } else { recurse(black_box(depth + 1)) + 1 }
}

fn eat_memory() -> Answer {
    let mut eaten: Vec<Vec<u8>> = Vec::new();
    loop {
        eaten.push(black_box(vec![1; 1 << 20]));
    }
}

fn new_object(json: String) -> Object {
    let key = ObjectKey {
        api_version: "v1".into(),
        kind: "ConfigMap".into(),
        namespace: Some("meadow".into()),
        name: "new".into(),
    };
    Object { key, json }
}

fn config_map(name: &str) -> String {
    serde_json::json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "meadow"}})
        .to_string()
}

fn host_network(object: Object) -> Operation {
    let mut value: Value = serde_json::from_str(&object.json).unwrap();
    value["spec"]["template"]["spec"]["hostNetwork"] = true.into();
    Operation::Replace(Object { json: value.to_string(), ..object })
}

fn refusal() -> PluginError {
    PluginError {
        kind: ErrorKind::InvalidConfig,
        reason: "NoGrass".into(),
        message: "the meadow has no grass; sow some".into(),
        field_path: Some("spec.meadow".into()),
        retry_after_ms: Some(5000),
    }
}

/// `new` only if no call was there before.
fn remember() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static CALLS: AtomicU32 = AtomicU32::new(0);
    match CALLS.fetch_add(1, Ordering::Relaxed) {
        0 => "new".into(),
        before => format!("after-{before}"),
    }
}

describe::export_describe!(Misbehaving with_types_in describe);
any::export_modify_any!(Misbehaving with_types_in any);
